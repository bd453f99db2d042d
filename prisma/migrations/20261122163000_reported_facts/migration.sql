-- Processes keep clients, grants and accounts in memory. These triggers report every change of what they keep to the connection that makes
-- it, as a message of the level INFO with the code SGF01 and the kind, the school and the id as DETAIL. The connection of the service marks
-- the change in Redis before and after its commit (src/store/facts).

CREATE FUNCTION report_fact(kind text, school uuid, id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    RAISE INFO 'running processes may use the previous value for up to 20 seconds'
        USING ERRCODE = 'SGF01', DETAIL = json_build_array(kind, school, id)::text;
END $$;

-- Many rows of a school are reported as the school.
CREATE FUNCTION report_facts(kind text, schools uuid[], ids text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(ids) > 100 THEN
        PERFORM report_fact('school', one.school, one.school::text) FROM (SELECT DISTINCT unnest(schools) AS school) AS one;
    ELSE
        PERFORM report_fact(kind, one.school, one.id) FROM unnest(schools, ids) AS one (school, id);
    END IF;
END $$;

CREATE FUNCTION report_client() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_fact('client', OLD.school_id, OLD.id);
    RETURN NULL;
END $$;
CREATE TRIGGER oidc_client_changed AFTER UPDATE ON oidc_client FOR EACH ROW
    WHEN ((OLD.metadata, OLD.registered_via, OLD.disabled_at) IS DISTINCT FROM (NEW.metadata, NEW.registered_via, NEW.disabled_at))
    EXECUTE FUNCTION report_client();

CREATE FUNCTION report_removed_clients() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_facts('client', array_agg(school_id), array_agg(id)) FROM gone;
    RETURN NULL;
END $$;
CREATE TRIGGER oidc_client_removed AFTER DELETE ON oidc_client REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
    EXECUTE FUNCTION report_removed_clients();

CREATE FUNCTION report_grant() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_fact('grant', OLD.school_id, OLD.id);
    RETURN NULL;
END $$;
-- A grant that lives longer than a process knows is read again when its known time has passed.
CREATE TRIGGER oidc_grant_changed AFTER UPDATE ON oidc_grant FOR EACH ROW
    WHEN ((OLD.account_id, OLD.client_id, OLD.payload, OLD.revoked_at)
            IS DISTINCT FROM (NEW.account_id, NEW.client_id, NEW.payload, NEW.revoked_at)
        OR NEW.expires_at < OLD.expires_at)
    EXECUTE FUNCTION report_grant();

CREATE FUNCTION report_removed_grants() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_facts('grant', array_agg(school_id), array_agg(id)) FROM gone WHERE expires_at > now();
    RETURN NULL;
END $$;
CREATE TRIGGER oidc_grant_removed AFTER DELETE ON oidc_grant REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
    EXECUTE FUNCTION report_removed_grants();

CREATE FUNCTION report_account() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_fact('account', OLD.school_id, OLD.id::text);
    RETURN NULL;
END $$;
CREATE TRIGGER account_changed AFTER UPDATE ON account FOR EACH ROW
    WHEN ((OLD.email, OLD.email_verified, OLD.name, OLD.given_name, OLD.family_name, OLD.avatar_file_id, OLD.locale, OLD.time_zone,
            OLD.updated_at, OLD.disabled_at, OLD.deletion_scheduled_at, OLD.sessions_valid_after)
        IS DISTINCT FROM (NEW.email, NEW.email_verified, NEW.name, NEW.given_name, NEW.family_name, NEW.avatar_file_id, NEW.locale,
            NEW.time_zone, NEW.updated_at, NEW.disabled_at, NEW.deletion_scheduled_at, NEW.sessions_valid_after))
    EXECUTE FUNCTION report_account();

CREATE FUNCTION report_removed_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_facts('account', array_agg(school_id), array_agg(id::text)) FROM gone;
    RETURN NULL;
END $$;
CREATE TRIGGER account_removed AFTER DELETE ON account REFERENCING OLD TABLE AS gone FOR EACH STATEMENT
    EXECUTE FUNCTION report_removed_accounts();

-- The picture of an account is a claim.
CREATE FUNCTION report_pictured_accounts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_fact('account', school_id, id::text) FROM account WHERE school_id = OLD.school_id AND avatar_file_id = OLD.id;
    RETURN NULL;
END $$;
CREATE TRIGGER file_changed AFTER UPDATE ON file FOR EACH ROW
    WHEN ((OLD.filename, OLD.status) IS DISTINCT FROM (NEW.filename, NEW.status))
    EXECUTE FUNCTION report_pictured_accounts();

-- The person and the role of an account.
CREATE FUNCTION report_person() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.account_id IS NOT NULL THEN PERFORM report_fact('account', OLD.school_id, OLD.account_id::text); END IF;
    IF NEW.account_id IS NOT NULL THEN PERFORM report_fact('account', NEW.school_id, NEW.account_id::text); END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER person_changed AFTER UPDATE ON person FOR EACH ROW
    WHEN (OLD.account_id IS DISTINCT FROM NEW.account_id)
    EXECUTE FUNCTION report_person();

CREATE FUNCTION report_people() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_facts('account', array_agg(school_id), array_agg(account_id::text)) FROM people WHERE account_id IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER person_added AFTER INSERT ON person REFERENCING NEW TABLE AS people FOR EACH STATEMENT EXECUTE FUNCTION report_people();
CREATE TRIGGER person_removed AFTER DELETE ON person REFERENCING OLD TABLE AS people FOR EACH STATEMENT EXECUTE FUNCTION report_people();

CREATE FUNCTION report_staff() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_facts('account', array_agg(person.school_id), array_agg(person.account_id::text))
       FROM staff_rows JOIN person ON person.school_id = staff_rows.school_id AND person.id = staff_rows.person_id
      WHERE person.account_id IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER staff_added AFTER INSERT ON staff REFERENCING NEW TABLE AS staff_rows FOR EACH STATEMENT EXECUTE FUNCTION report_staff();
CREATE TRIGGER staff_removed AFTER DELETE ON staff REFERENCING OLD TABLE AS staff_rows FOR EACH STATEMENT EXECUTE FUNCTION report_staff();

CREATE FUNCTION report_staff_member() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM report_fact('account', school_id, account_id::text) FROM person
      WHERE school_id = NEW.school_id AND id IN (OLD.person_id, NEW.person_id) AND account_id IS NOT NULL;
    RETURN NULL;
END $$;
CREATE TRIGGER staff_changed AFTER UPDATE ON staff FOR EACH ROW
    WHEN ((OLD.person_id, OLD.role, OLD.lecturer_id, OLD.status) IS DISTINCT FROM (NEW.person_id, NEW.role, NEW.lecturer_id, NEW.status))
    EXECUTE FUNCTION report_staff_member();
