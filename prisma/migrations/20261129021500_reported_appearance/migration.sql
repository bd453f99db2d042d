-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE ROW EXCLUSIVE on appearance

-- Processes keep the branding of schools in memory (src/database/facts/keptContent.ts): a change of their look is a change of their content.

CREATE TRIGGER appearance_content_added AFTER INSERT ON appearance REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER appearance_content_changed AFTER UPDATE ON appearance REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
CREATE TRIGGER appearance_content_removed AFTER DELETE ON appearance REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION report_content();
