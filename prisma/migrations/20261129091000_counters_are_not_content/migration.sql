-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE ROW EXCLUSIVE on course, SHARE ROW EXCLUSIVE on digital_product, SHARE ROW EXCLUSIVE on event, SHARE ROW EXCLUSIVE on form, SHARE ROW EXCLUSIVE on lecturer, SHARE ROW EXCLUSIVE on membership_plan, SHARE ROW EXCLUSIVE on post

-- An enrolment changed a counter of its course, so every process made all kept texts and all responses to visitors of the school again. A change of
-- these counters is no longer a change of the content: kept texts read them with each request, and responses to visitors are kept for a second.
-- Processes of earlier releases keep the number of comments for at most 20 seconds.

-- Its arguments are the columns that are not content.
CREATE FUNCTION report_content_without() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_fact('content', one.school_id, '') FROM (
        SELECT DISTINCT school_id FROM (
            SELECT school_id, to_jsonb(changed) - TG_ARGV FROM changed EXCEPT SELECT school_id, to_jsonb(former) - TG_ARGV FROM former
        ) AS differing
    ) AS one;
    RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER course_content_changed AFTER UPDATE ON course REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content_without('enrollments_count');
CREATE OR REPLACE TRIGGER event_content_changed AFTER UPDATE ON event REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content_without('going_count', 'waitlisted_count', 'comments_count');
CREATE OR REPLACE TRIGGER lecturer_content_changed AFTER UPDATE ON lecturer REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content_without('students_count');
CREATE OR REPLACE TRIGGER membership_plan_content_changed AFTER UPDATE ON membership_plan REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content_without('subscribers_count');
CREATE OR REPLACE TRIGGER post_content_changed AFTER UPDATE ON post REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content_without('comments_count');
CREATE OR REPLACE TRIGGER digital_product_content_changed AFTER UPDATE ON digital_product REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content_without('sales_count');
CREATE OR REPLACE TRIGGER form_content_changed AFTER UPDATE ON form REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content_without('submissions_count', 'unreported_count');
