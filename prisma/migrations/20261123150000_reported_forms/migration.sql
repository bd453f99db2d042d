-- The rendered text of a page is also read from its forms, and from the references of its pictures: their changes are changes of the school's
-- content (20261123121000_reported_content).

CREATE TRIGGER file_reference_content_added AFTER INSERT ON file_reference REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER file_reference_content_changed AFTER UPDATE ON file_reference REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER file_reference_content_removed AFTER DELETE ON file_reference REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();

CREATE TRIGGER form_content_added AFTER INSERT ON form REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER form_content_changed AFTER UPDATE ON form REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER form_content_removed AFTER DELETE ON form REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
