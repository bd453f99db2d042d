-- Printed by npm run docs: the statements of rsvps for each role.

-- listRsvps, learner
select "id", "event_id", "status", "offered_until", "note", "guests", "queued_at", "status_changed_at", "created_at",
  "updated_at", "version" as "version", case
  when false then cast('staff' as text)
  when ("rsvp"."person_id" = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  (
    select to_json("who") as "person"
    from (
      select "person"."id", coalesce("person"."display_name", "person"."name") as "display_name",
        (
          SELECT json_build_object(
            'file_id', "file"."id", 'filename', "file"."filename", 'alt', "person"."avatar_alt", 'width',
            "file"."width", 'height', "file"."height"
          )
          FROM "file"
          WHERE "file"."school_id" = "person"."school_id"
            AND "file"."id" = "person"."avatar_file_id"
            AND "file"."status" = 'ready'
        ) as "avatar"
      from "person"
      where (
        "person"."school_id" = "rsvp"."school_id"
        and "person"."id" = "rsvp"."person_id"
        and "person"."erased_at" is null
      )
        and "person"."school_id" = :school_id
    ) as "who"
  ) as "member",
  case
  when (
    "rsvp"."status" = 'waitlisted' and "rsvp"."offered_until" is null
  ) then cast(
    (
      select count(*) as "place"
      from "rsvp" as "ahead"
      where (
        "ahead"."event_id" = "rsvp"."event_id"
        and "ahead"."status" = 'waitlisted'
        and "ahead"."offered_until" is null
        and ("ahead"."queued_at", "ahead"."id") <= ("rsvp"."queued_at", "rsvp"."id")
      )
        and "ahead"."school_id" = :school_id
    ) as int4
  )
  end as "waitlist_position"
from "rsvp"
where (
  (
    "rsvp"."person_id" = :person_id
    and NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
    )
  )
  and "event_id" = :parent_id
)
  and "rsvp"."school_id" = :school_id
order by "queued_at" asc, "id" asc
limit 21;

-- listRsvps, lecturer
select "id", "event_id", "status", "offered_until", "note", "guests", "queued_at", "status_changed_at", "created_at",
  "updated_at", "version" as "version", case
  when exists (
    select "event"."id"
    from "event"
    where (
      "event"."school_id" = "rsvp"."school_id"
      and "event"."id" = "rsvp"."event_id"
      and exists (
        select "event_host"."lecturer_id"
        from "event_host"
        where (
          "event_host"."school_id" = "event"."school_id"
          and "event_host"."event_id" = "event"."id"
          and "event_host"."lecturer_id" in (:lecturer_id)
        )
          and "event_host"."school_id" = :school_id
      )
    )
      and "event"."school_id" = :school_id
  ) then cast('staff' as text)
  when ("rsvp"."person_id" = :person_id or false) then cast('own' as text)
  else cast('public' as text)
  end as "seen_as",
  (
    select to_json("who") as "person"
    from (
      select "person"."id", coalesce("person"."display_name", "person"."name") as "display_name",
        (
          SELECT json_build_object(
            'file_id', "file"."id", 'filename', "file"."filename", 'alt', "person"."avatar_alt", 'width',
            "file"."width", 'height', "file"."height"
          )
          FROM "file"
          WHERE "file"."school_id" = "person"."school_id"
            AND "file"."id" = "person"."avatar_file_id"
            AND "file"."status" = 'ready'
        ) as "avatar"
      from "person"
      where (
        "person"."school_id" = "rsvp"."school_id"
        and "person"."id" = "rsvp"."person_id"
        and "person"."erased_at" is null
      )
        and "person"."school_id" = :school_id
    ) as "who"
  ) as "member",
  case
  when (
    "rsvp"."status" = 'waitlisted' and "rsvp"."offered_until" is null
  ) then cast(
    (
      select count(*) as "place"
      from "rsvp" as "ahead"
      where (
        "ahead"."event_id" = "rsvp"."event_id"
        and "ahead"."status" = 'waitlisted'
        and "ahead"."offered_until" is null
        and ("ahead"."queued_at", "ahead"."id") <= ("rsvp"."queued_at", "rsvp"."id")
      )
        and "ahead"."school_id" = :school_id
    ) as int4
  )
  end as "waitlist_position"
from "rsvp"
where (
  (
    (
      "rsvp"."person_id" = :person_id
      or exists (
        select "event"."id"
        from "event"
        where (
          "event"."school_id" = "rsvp"."school_id"
          and "event"."id" = "rsvp"."event_id"
          and exists (
            select "event_host"."lecturer_id"
            from "event_host"
            where (
              "event_host"."school_id" = "event"."school_id"
              and "event_host"."event_id" = "event"."id"
              and "event_host"."lecturer_id" in (:lecturer_id)
            )
              and "event_host"."school_id" = :school_id
          )
        )
          and "event"."school_id" = :school_id
      )
    )
    and NOT EXISTS (
      SELECT 1 FROM "school" WHERE "school"."id" = :school_id AND "school"."features" @> '{"events":false}'::jsonb
    )
  )
  and "event_id" = :parent_id
)
  and "rsvp"."school_id" = :school_id
order by "queued_at" asc, "id" asc
limit 21;

-- listRsvps, staff
select "id", "event_id", "status", "offered_until", "note", "guests", "queued_at", "status_changed_at", "created_at",
  "updated_at", "version" as "version", cast('staff' as text) as "seen_as",
  (
    select to_json("who") as "person"
    from (
      select "person"."id", coalesce("person"."display_name", "person"."name") as "display_name",
        (
          SELECT json_build_object(
            'file_id', "file"."id", 'filename', "file"."filename", 'alt', "person"."avatar_alt", 'width',
            "file"."width", 'height', "file"."height"
          )
          FROM "file"
          WHERE "file"."school_id" = "person"."school_id"
            AND "file"."id" = "person"."avatar_file_id"
            AND "file"."status" = 'ready'
        ) as "avatar"
      from "person"
      where (
        "person"."school_id" = "rsvp"."school_id"
        and "person"."id" = "rsvp"."person_id"
        and "person"."erased_at" is null
      )
        and "person"."school_id" = :school_id
    ) as "who"
  ) as "member",
  case
  when (
    "rsvp"."status" = 'waitlisted' and "rsvp"."offered_until" is null
  ) then cast(
    (
      select count(*) as "place"
      from "rsvp" as "ahead"
      where (
        "ahead"."event_id" = "rsvp"."event_id"
        and "ahead"."status" = 'waitlisted'
        and "ahead"."offered_until" is null
        and ("ahead"."queued_at", "ahead"."id") <= ("rsvp"."queued_at", "rsvp"."id")
      )
        and "ahead"."school_id" = :school_id
    ) as int4
  )
  end as "waitlist_position"
from "rsvp"
where (true and "event_id" = :parent_id) and "rsvp"."school_id" = :school_id
order by "queued_at" asc, "id" asc
limit 21;
