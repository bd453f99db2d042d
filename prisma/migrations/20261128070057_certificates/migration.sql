-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE ROW EXCLUSIVE on course, SHARE ROW EXCLUSIVE on enrollment, SHARE ROW EXCLUSIVE on person

-- CreateTable
CREATE TABLE "certificate" (
    "school_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "enrollment_id" UUID NOT NULL,
    "course_id" UUID NOT NULL,
    "person_id" UUID NOT NULL,
    "number" TEXT NOT NULL,
    "completed_at" TIMESTAMPTZ(3) NOT NULL,
    "issued_at" TIMESTAMPTZ(3) NOT NULL,
    "holder_name" TEXT,
    "course_title" TEXT NOT NULL,
    "corrected_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "certificate_pkey" PRIMARY KEY ("school_id","id")
);

-- CreateIndex
CREATE UNIQUE INDEX "certificate_number_key" ON "certificate"("number");

-- CreateIndex
CREATE INDEX "certificate_school_id_issued_at_id_idx" ON "certificate"("school_id", "issued_at", "id");

-- CreateIndex
CREATE INDEX "certificate_school_id_course_id_issued_at_id_idx" ON "certificate"("school_id", "course_id", "issued_at", "id");

-- CreateIndex
CREATE INDEX "certificate_school_id_person_id_issued_at_id_idx" ON "certificate"("school_id", "person_id", "issued_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "certificate_school_id_enrollment_id_completed_at_key" ON "certificate"("school_id", "enrollment_id", "completed_at");

-- AddForeignKey
ALTER TABLE "certificate" ADD CONSTRAINT "certificate_course_id_fkey" FOREIGN KEY ("school_id", "course_id") REFERENCES "course"("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "certificate" ADD CONSTRAINT "certificate_enrollment_id_fkey" FOREIGN KEY ("school_id", "enrollment_id") REFERENCES "enrollment"("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "certificate" ADD CONSTRAINT "certificate_person_id_fkey" FOREIGN KEY ("school_id", "person_id") REFERENCES "person"("school_id", "id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- Handwritten: see CONTRIBUTING.md.
CREATE TRIGGER certificate_captured AFTER INSERT OR UPDATE OR DELETE ON certificate FOR EACH ROW
    WHEN (current_setting('schoolgate.undo', true) <> '') EXECUTE FUNCTION capture_change('id');

-- Processes of 1.0 keep the only certificate of an enrolment in its columns. As long as they can run next to this release, each side reads what
-- the other writes. A write that a trigger makes is not answered by the other one.
CREATE FUNCTION certificate_of_1_0() RETURNS trigger LANGUAGE plpgsql AS '
BEGIN
    -- A completion was taken back that an earlier release had captured, or whose certificate was corrected since.
    UPDATE certificate SET revoked_at = now(), version = version + 1, updated_at = now()
     WHERE school_id = OLD.school_id AND number = OLD.certificate_number AND number IS DISTINCT FROM NEW.certificate_number AND revoked_at IS NULL;
    IF NEW.certificate_number IS NULL THEN
        RETURN NULL;
    END IF;
    INSERT INTO certificate (school_id, id, enrollment_id, course_id, person_id, number, completed_at, issued_at, holder_name, course_title, corrected_at)
    SELECT NEW.school_id, gen_random_uuid(), NEW.id, NEW.course_id, NEW.person_id, NEW.certificate_number,
           coalesce(least(NEW.completed_at, NEW.certificate_issued_at), now()), coalesce(NEW.certificate_issued_at, NEW.completed_at, now()),
           NEW.certificate_holder_name, coalesce(NEW.certificate_course_title, course.title), NEW.certificate_corrected_at
      FROM course WHERE course.school_id = NEW.school_id AND course.id = NEW.course_id
    ON CONFLICT (number) DO UPDATE
       SET holder_name = EXCLUDED.holder_name, course_title = EXCLUDED.course_title, corrected_at = EXCLUDED.corrected_at,
           version = certificate.version + 1, updated_at = now()
     WHERE (certificate.holder_name, certificate.course_title, certificate.corrected_at)
           IS DISTINCT FROM (EXCLUDED.holder_name, EXCLUDED.course_title, EXCLUDED.corrected_at);
    -- An erasure.
    IF NEW.certificate_holder_name IS NULL THEN
        UPDATE certificate SET holder_name = NULL
         WHERE school_id = NEW.school_id AND enrollment_id = NEW.id AND holder_name IS NOT NULL;
    END IF;
    RETURN NULL;
END';
CREATE TRIGGER enrollment_certificate_of_1_0
    AFTER UPDATE OF certificate_number, certificate_holder_name, certificate_course_title, certificate_corrected_at ON enrollment FOR EACH ROW
    WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION certificate_of_1_0();

CREATE FUNCTION certificate_for_1_0() RETURNS trigger LANGUAGE plpgsql AS '
BEGIN
    UPDATE enrollment
       SET certificate_number = NEW.number, certificate_issued_at = NEW.issued_at, certificate_holder_name = NEW.holder_name,
           certificate_course_title = NEW.course_title, certificate_corrected_at = NEW.corrected_at
     WHERE school_id = NEW.school_id AND id = NEW.enrollment_id AND (TG_OP = ''INSERT'' OR certificate_number = NEW.number);
    RETURN NULL;
END';
CREATE TRIGGER certificate_for_1_0
    AFTER INSERT OR UPDATE OF holder_name, course_title, corrected_at ON certificate FOR EACH ROW
    -- A copy of a database or a school has the columns of both.
    WHEN (pg_trigger_depth() = 0 AND coalesce(current_setting('schoolgate.copies_rows', true), '') = '') EXECUTE FUNCTION certificate_for_1_0();
