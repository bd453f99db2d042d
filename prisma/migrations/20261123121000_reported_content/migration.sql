-- Processes keep responses to visitors in memory. These triggers report every change of a table that such a response is read from, as a change of
-- the school's content (src/store/facts). test/store/contentTables.test.ts compares the tables with the statements of the catalogue.

CREATE FUNCTION report_content() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_fact('content', one.school_id, '') FROM (SELECT DISTINCT school_id FROM changed) AS one;
    RETURN NULL;
END $$;

CREATE FUNCTION report_content_of_school() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_fact('content', id, '') FROM changed;
    RETURN NULL;
END $$;

CREATE TRIGGER course_content_added AFTER INSERT ON course REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER course_content_changed AFTER UPDATE ON course REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER course_content_removed AFTER DELETE ON course REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER course_lecturer_content_added AFTER INSERT ON course_lecturer REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER course_lecturer_content_changed AFTER UPDATE ON course_lecturer REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER course_lecturer_content_removed AFTER DELETE ON course_lecturer REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER digital_product_content_added AFTER INSERT ON digital_product REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER digital_product_content_changed AFTER UPDATE ON digital_product REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER digital_product_content_removed AFTER DELETE ON digital_product REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER event_content_added AFTER INSERT ON event REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER event_content_changed AFTER UPDATE ON event REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER event_content_removed AFTER DELETE ON event REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER event_host_content_added AFTER INSERT ON event_host REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER event_host_content_changed AFTER UPDATE ON event_host REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER event_host_content_removed AFTER DELETE ON event_host REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER event_plan_content_added AFTER INSERT ON event_plan REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER event_plan_content_changed AFTER UPDATE ON event_plan REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER event_plan_content_removed AFTER DELETE ON event_plan REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER file_content_added AFTER INSERT ON file REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER file_content_changed AFTER UPDATE ON file REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER file_content_removed AFTER DELETE ON file REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER lecturer_content_added AFTER INSERT ON lecturer REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER lecturer_content_changed AFTER UPDATE ON lecturer REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER lecturer_content_removed AFTER DELETE ON lecturer REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER lesson_content_added AFTER INSERT ON lesson REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER lesson_content_changed AFTER UPDATE ON lesson REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER lesson_content_removed AFTER DELETE ON lesson REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER lesson_body_content_added AFTER INSERT ON lesson_body REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER lesson_body_content_changed AFTER UPDATE ON lesson_body REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER lesson_body_content_removed AFTER DELETE ON lesson_body REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER membership_plan_content_added AFTER INSERT ON membership_plan REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER membership_plan_content_changed AFTER UPDATE ON membership_plan REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER membership_plan_content_removed AFTER DELETE ON membership_plan REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER page_content_added AFTER INSERT ON page REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER page_content_changed AFTER UPDATE ON page REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER page_content_removed AFTER DELETE ON page REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER plan_item_content_added AFTER INSERT ON plan_item REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER plan_item_content_changed AFTER UPDATE ON plan_item REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER plan_item_content_removed AFTER DELETE ON plan_item REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER plan_price_content_added AFTER INSERT ON plan_price REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER plan_price_content_changed AFTER UPDATE ON plan_price REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER plan_price_content_removed AFTER DELETE ON plan_price REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER post_content_added AFTER INSERT ON post REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER post_content_changed AFTER UPDATE ON post REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER post_content_removed AFTER DELETE ON post REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER post_body_content_added AFTER INSERT ON post_body REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER post_body_content_changed AFTER UPDATE ON post_body REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER post_body_content_removed AFTER DELETE ON post_body REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER post_plan_content_added AFTER INSERT ON post_plan REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER post_plan_content_changed AFTER UPDATE ON post_plan REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER post_plan_content_removed AFTER DELETE ON post_plan REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER product_file_content_added AFTER INSERT ON product_file REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER product_file_content_changed AFTER UPDATE ON product_file REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER product_file_content_removed AFTER DELETE ON product_file REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER section_content_added AFTER INSERT ON section REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER section_content_changed AFTER UPDATE ON section REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER section_content_removed AFTER DELETE ON section REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER staff_content_added AFTER INSERT ON staff REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER staff_content_changed AFTER UPDATE ON staff REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER staff_content_removed AFTER DELETE ON staff REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER storage_usage_content_added AFTER INSERT ON storage_usage REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER storage_usage_content_changed AFTER UPDATE ON storage_usage REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER storage_usage_content_removed AFTER DELETE ON storage_usage REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER school_content_added AFTER INSERT ON school REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content_of_school();
CREATE TRIGGER school_content_changed AFTER UPDATE ON school REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content_of_school();
CREATE TRIGGER school_content_removed AFTER DELETE ON school REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content_of_school();
