-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE ROW EXCLUSIVE on comment, SHARE ROW EXCLUSIVE on coupon, SHARE ROW EXCLUSIVE on course, SHARE ROW EXCLUSIVE on digital_product, SHARE ROW EXCLUSIVE on event, SHARE ROW EXCLUSIVE on file, SHARE ROW EXCLUSIVE on form, SHARE ROW EXCLUSIVE on lecturer, SHARE ROW EXCLUSIVE on membership_plan, SHARE ROW EXCLUSIVE on orders, SHARE ROW EXCLUSIVE on page, SHARE ROW EXCLUSIVE on person, SHARE ROW EXCLUSIVE on post, SHARE ROW EXCLUSIVE on school

-- CreateTable
CREATE TABLE "search_document" (
    "school_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "id" UUID NOT NULL,
    "text" TEXT COLLATE "C",
    "staff_text" TEXT COLLATE "C",
    "words" tsvector,

    CONSTRAINT "search_document_pkey" PRIMARY KEY ("school_id","type","id")
);

-- AddForeignKey
ALTER TABLE "search_document" ADD CONSTRAINT "search_document_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school"("id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- Handwritten: the texts are compared byte by byte, which is enough for a part of a text and faster. A search reads all pending entries.
CREATE INDEX "search_document_words" ON "search_document" USING gin ("words") WITH (gin_pending_list_limit = 256);
CREATE INDEX "search_document_text" ON "search_document" USING gin ("text" gin_trgm_ops, "staff_text" gin_trgm_ops) WITH (gin_pending_list_limit = 256);

CREATE FUNCTION write_search_document(school uuid, object text, row_id uuid, for_all text, for_staff text, found_words tsvector) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO search_document AS kept (school_id, type, id, text, staff_text, words)
        VALUES (school, object, row_id, lower(for_all), lower(for_staff), found_words)
        ON CONFLICT (school_id, type, id) DO UPDATE SET text = excluded.text, staff_text = excluded.staff_text, words = excluded.words
        WHERE (kept.text, kept.staff_text, kept.words) IS DISTINCT FROM (excluded.text, excluded.staff_text, excluded.words);
END
$$;

-- Its arguments are the types of the rows. Only texts that everybody can read have words: a search must not reveal others.
CREATE FUNCTION keep_search_document() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM search_document WHERE school_id = OLD.school_id AND type = ANY (TG_ARGV) AND id = OLD.id;
        RETURN NULL;
    END IF;
    CASE TG_TABLE_NAME
        WHEN 'course' THEN
            PERFORM write_search_document(NEW.school_id, 'course', NEW.id, concat_ws(E'\n', NEW.title, NEW.subtitle, NEW.slug), NULL, search_vector(NEW.title, ARRAY[NEW.subtitle, NEW.category, NEW.level] || NEW.tags, NEW.description));
        WHEN 'lecturer' THEN
            PERFORM write_search_document(NEW.school_id, 'lecturer', NEW.id, concat_ws(E'\n', NEW.display_name, NEW.headline, NEW.slug), NULL, search_vector(NEW.display_name, ARRAY[NEW.headline] || NEW.expertise, NEW.bio));
        WHEN 'event' THEN
            PERFORM write_search_document(NEW.school_id, 'event', NEW.id, concat_ws(E'\n', NEW.title, NEW.slug), NULL, search_vector(NEW.title, ARRAY[NEW.kind], CASE WHEN NEW.access = 'public' THEN NEW.description END));
        WHEN 'membership_plan' THEN
            PERFORM write_search_document(NEW.school_id, 'membership_plan', NEW.id, concat_ws(E'\n', NEW.name, NEW.slug), NULL, search_vector(NEW.name, ARRAY[NEW.badge] || NEW.benefits, NEW.description));
        WHEN 'post' THEN
            PERFORM write_search_document(NEW.school_id, 'post', NEW.id, concat_ws(E'\n', NEW.title, NEW.slug), NULL, search_vector(NEW.title, ARRAY[NEW.kind] || NEW.tags, coalesce(NEW.excerpt, CASE WHEN NEW.visibility = 'public' THEN NEW.automatic_excerpt END)));
        WHEN 'digital_product' THEN
            PERFORM write_search_document(NEW.school_id, 'digital_product', NEW.id, concat_ws(E'\n', NEW.title, NEW.subtitle, NEW.slug), NULL, search_vector(NEW.title, ARRAY[NEW.subtitle, NEW.category, NEW.kind] || NEW.tags, NEW.description));
        WHEN 'page' THEN
            PERFORM write_search_document(NEW.school_id, 'page', NEW.id, concat_ws(E'\n', NEW.title, NEW.slug), NULL, search_vector(NEW.title, ARRAY[NEW.kind], NULL));
        WHEN 'form' THEN
            PERFORM write_search_document(NEW.school_id, 'form', NEW.id, concat_ws(E'\n', NEW.title, NEW.slug), NULL, NULL);
        WHEN 'coupon' THEN
            PERFORM write_search_document(NEW.school_id, 'coupon', NEW.id, concat_ws(E'\n', NEW.code, NEW.name), NULL, NULL);
        WHEN 'file' THEN
            PERFORM write_search_document(NEW.school_id, 'file', NEW.id, NEW.filename, NULL, NULL);
        WHEN 'orders' THEN
            PERFORM write_search_document(NEW.school_id, 'order', NEW.id, NEW.number, NEW.buyer_email, NULL);
        WHEN 'comment' THEN
            PERFORM write_search_document(NEW.school_id, 'comment', NEW.id, NULL, NEW.body, NULL);
        WHEN 'person' THEN
            IF TG_OP = 'UPDATE' THEN
                DELETE FROM search_document WHERE school_id = NEW.school_id AND id = NEW.id
                    AND (type = 'student' AND NOT NEW.is_student OR type = 'member' AND NOT NEW.is_member);
            END IF;
            IF NEW.is_student THEN
                PERFORM write_search_document(NEW.school_id, 'student', NEW.id, concat_ws(E'\n', NEW.name, NEW.email), NULL, NULL);
            END IF;
            IF NEW.is_member THEN
                PERFORM write_search_document(NEW.school_id, 'member', NEW.id, coalesce(NEW.display_name, NEW.name), concat_ws(E'\n', NEW.name, NEW.email), NULL);
            END IF;
    END CASE;
    RETURN NULL;
END
$$;

-- They also run where a copy switches others off: the rows of a copy bring no search documents.
CREATE TRIGGER course_search_document AFTER INSERT OR DELETE OR UPDATE OF title, subtitle, slug, category, level, tags, description ON "course"
    FOR EACH ROW EXECUTE FUNCTION keep_search_document('course');
ALTER TABLE "course" ENABLE ALWAYS TRIGGER course_search_document;
CREATE TRIGGER lecturer_search_document AFTER INSERT OR DELETE OR UPDATE OF display_name, headline, slug, expertise, bio ON "lecturer"
    FOR EACH ROW EXECUTE FUNCTION keep_search_document('lecturer');
ALTER TABLE "lecturer" ENABLE ALWAYS TRIGGER lecturer_search_document;
CREATE TRIGGER event_search_document AFTER INSERT OR DELETE OR UPDATE OF title, slug, kind, access, description ON "event"
    FOR EACH ROW EXECUTE FUNCTION keep_search_document('event');
ALTER TABLE "event" ENABLE ALWAYS TRIGGER event_search_document;
CREATE TRIGGER membership_plan_search_document AFTER INSERT OR DELETE OR UPDATE OF name, slug, badge, benefits, description ON "membership_plan"
    FOR EACH ROW EXECUTE FUNCTION keep_search_document('membership_plan');
ALTER TABLE "membership_plan" ENABLE ALWAYS TRIGGER membership_plan_search_document;
CREATE TRIGGER post_search_document AFTER INSERT OR DELETE OR UPDATE OF title, slug, kind, tags, excerpt, automatic_excerpt, visibility ON "post"
    FOR EACH ROW EXECUTE FUNCTION keep_search_document('post');
ALTER TABLE "post" ENABLE ALWAYS TRIGGER post_search_document;
CREATE TRIGGER digital_product_search_document AFTER INSERT OR DELETE OR UPDATE OF title, subtitle, slug, category, kind, tags, description ON "digital_product"
    FOR EACH ROW EXECUTE FUNCTION keep_search_document('digital_product');
ALTER TABLE "digital_product" ENABLE ALWAYS TRIGGER digital_product_search_document;
CREATE TRIGGER page_search_document AFTER INSERT OR DELETE OR UPDATE OF title, slug, kind ON "page"
    FOR EACH ROW EXECUTE FUNCTION keep_search_document('page');
ALTER TABLE "page" ENABLE ALWAYS TRIGGER page_search_document;
CREATE TRIGGER form_search_document AFTER INSERT OR DELETE OR UPDATE OF title, slug ON "form"
    FOR EACH ROW EXECUTE FUNCTION keep_search_document('form');
ALTER TABLE "form" ENABLE ALWAYS TRIGGER form_search_document;
CREATE TRIGGER coupon_search_document AFTER INSERT OR DELETE OR UPDATE OF code, name ON "coupon"
    FOR EACH ROW EXECUTE FUNCTION keep_search_document('coupon');
ALTER TABLE "coupon" ENABLE ALWAYS TRIGGER coupon_search_document;
CREATE TRIGGER file_search_document AFTER INSERT OR DELETE OR UPDATE OF filename ON "file"
    FOR EACH ROW EXECUTE FUNCTION keep_search_document('file');
ALTER TABLE "file" ENABLE ALWAYS TRIGGER file_search_document;
CREATE TRIGGER orders_search_document AFTER INSERT OR DELETE OR UPDATE OF number, buyer_email ON "orders"
    FOR EACH ROW EXECUTE FUNCTION keep_search_document('order');
ALTER TABLE "orders" ENABLE ALWAYS TRIGGER orders_search_document;
CREATE TRIGGER comment_search_document AFTER INSERT OR DELETE OR UPDATE OF body ON "comment"
    FOR EACH ROW EXECUTE FUNCTION keep_search_document('comment');
ALTER TABLE "comment" ENABLE ALWAYS TRIGGER comment_search_document;
CREATE TRIGGER person_search_document AFTER INSERT OR DELETE OR UPDATE OF name, display_name, email, is_student, is_member ON "person"
    FOR EACH ROW EXECUTE FUNCTION keep_search_document('student', 'member');
ALTER TABLE "person" ENABLE ALWAYS TRIGGER person_search_document;

-- PL/pgSQL keeps the plan of this statement for the connection, which SQL does not.
CREATE OR REPLACE FUNCTION search_query(words text[], locales text[], needs_every boolean) RETURNS tsquery LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (
        WITH dictionaries AS (
            SELECT DISTINCT (CASE split_part(lower(locale), '-', 1)
                WHEN 'ar' THEN 'arabic_stem' WHEN 'da' THEN 'danish_stem' WHEN 'de' THEN 'german_stem' WHEN 'en' THEN 'english_stem'
                WHEN 'es' THEN 'spanish_stem' WHEN 'fi' THEN 'finnish_stem' WHEN 'fr' THEN 'french_stem' WHEN 'hu' THEN 'hungarian_stem'
                WHEN 'it' THEN 'italian_stem' WHEN 'nb' THEN 'norwegian_stem' WHEN 'nl' THEN 'dutch_stem' WHEN 'nn' THEN 'norwegian_stem'
                WHEN 'no' THEN 'norwegian_stem' WHEN 'pt' THEN 'portuguese_stem' WHEN 'ro' THEN 'romanian_stem' WHEN 'ru' THEN 'russian_stem'
                WHEN 'sv' THEN 'swedish_stem' WHEN 'tr' THEN 'turkish_stem' ELSE 'simple' END)::regdictionary AS dictionary
            FROM unnest(locales) AS known(locale)
        ), spellings AS (
            -- Umlauts are often typed as digraphs, and digraphs as umlauts. Other languages have these letters next to each other in words
            -- without umlauts, so the other spelling is compared as a whole word.
            SELECT place, word, dictionary, false AS is_whole FROM unnest(words) WITH ORDINALITY AS asked(word, place) CROSS JOIN dictionaries
            UNION
            SELECT place, spelling, dictionary, dictionary <> 'german_stem'::regdictionary
            FROM unnest(words) WITH ORDINALITY AS asked(word, place)
            CROSS JOIN LATERAL unnest(ARRAY[
                replace(replace(replace(word, 'ae', 'ä'), 'oe', 'ö'), 'ue', 'ü'),
                replace(replace(replace(word, 'ä', 'ae'), 'ö', 'oe'), 'ü', 'ue')]) AS other(spelling)
            CROSS JOIN dictionaries
            WHERE spelling <> word
        ), stems AS (
            SELECT place, is_whole, search_fold(word) AS folded, ts_lexize(dictionary, word) AS lexemes FROM spellings
        ), prefixes AS (
            SELECT place, is_whole, folded, lexemes, (
                SELECT max(length) FROM generate_series(0, length(folded)) AS common(length)
                WHERE left(folded, length) = left(search_fold(coalesce(lexemes[1], folded)), length)) AS length
            FROM stems
        ), roots AS (
            -- "pottery" is made from pots, and "bakery" from what is baked: the stem of these words keeps their ending.
            SELECT place, regexp_replace(regexp_replace(search_fold(word), '(ery|eries)$', ''), '(.)\1$', '\1') AS root FROM spellings
            WHERE dictionary = 'english_stem'::regdictionary AND word ~ '...(ery|eries)$'
        ), alternatives AS (
            SELECT place, coalesce(lexemes = '{}', false) AS is_stop_word, quote_literal(CASE WHEN is_whole OR length < 3 THEN folded ELSE left(folded, length) END)
                || CASE WHEN NOT is_whole AND (length(folded) > 2 OR folded ~ '[\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff]') THEN ':*' ELSE '' END AS term
            FROM prefixes WHERE folded <> ''
            UNION
            SELECT place, false, quote_literal(root || ending) FROM roots CROSS JOIN unnest(ARRAY['', 's', 'e', 'es']) AS forms(ending)
        ), terms AS (
            SELECT place, string_agg(DISTINCT term, ' | ') AS term FROM alternatives GROUP BY place HAVING NOT bool_or(is_stop_word)
        )
        SELECT string_agg('(' || term || ')', CASE WHEN needs_every THEN ' & ' ELSE ' | ' END ORDER BY place)::tsquery FROM terms
    );
END
$$;
