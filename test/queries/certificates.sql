-- Printed by npm run docs: the statements of certificates for each role.

-- verifyCertificate, anonymous, learner, lecturer, staff
select "enrollment"."certificate_holder_name", "enrollment"."certificate_course_title", "enrollment"."completed_at",
  "enrollment"."certificate_issued_at" as "issued_at", "enrollment"."certificate_corrected_at" as "corrected_at",
  "person"."name", "person"."erased_at", "course"."title", "course"."certificate_template" as "template"
from "enrollment"
inner join "course" on ("course"."id" = "enrollment"."course_id") and "course"."school_id" = :school_id
inner join "person" on ("person"."id" = "enrollment"."person_id") and "person"."school_id" = :school_id
where ("enrollment"."certificate_number" = '7QW3KD9XHM2TB5ZE') and "enrollment"."school_id" = :school_id;
