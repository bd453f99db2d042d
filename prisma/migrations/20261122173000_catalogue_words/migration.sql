-- Handwritten: see prisma/handwritten.txt

-- The words of a text as a search compares them: in lower case, without accents, and with spaces instead of punctuation. The same rules
-- apply to every language and every locale of the database. Only the beginning of a text is searched, which bounds the cost of writing it.
CREATE FUNCTION search_fold(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN regexp_replace(
        regexp_replace(replace(lower(normalize(left(value, 20000), NFD)), 'ß', 'ss'), '[\u0300-\u036f]', '', 'g'),
        '[!-/:-@\[-`{-~]+', ' ', 'g');

-- What a search looks in: a title, short words such as tags, and a longer text, by descending weight.
CREATE FUNCTION search_vector(title text, words text[], body text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN setweight(to_tsvector('simple'::regconfig, search_fold(coalesce(title, ''))), 'A')
        || setweight(to_tsvector('simple'::regconfig, search_fold(array_to_string(words, ' '))), 'B')
        || setweight(to_tsvector('simple'::regconfig, search_fold(coalesce(body, ''))), 'C');

-- What a search asks for. A word is reduced to its stem in each language of the school, and matches every word that begins with it: "pots"
-- finds "pottery", and "Töpfern" finds "Töpferkurs". Stop words are left out. NULL if no word is left.
CREATE FUNCTION search_query(words text[], locales text[], needs_every boolean) RETURNS tsquery LANGUAGE sql STABLE PARALLEL SAFE AS $$
    WITH dictionaries AS (
        SELECT DISTINCT (CASE split_part(lower(locale), '-', 1)
            WHEN 'ar' THEN 'arabic_stem' WHEN 'da' THEN 'danish_stem' WHEN 'de' THEN 'german_stem' WHEN 'en' THEN 'english_stem'
            WHEN 'es' THEN 'spanish_stem' WHEN 'fi' THEN 'finnish_stem' WHEN 'fr' THEN 'french_stem' WHEN 'hu' THEN 'hungarian_stem'
            WHEN 'it' THEN 'italian_stem' WHEN 'nb' THEN 'norwegian_stem' WHEN 'nl' THEN 'dutch_stem' WHEN 'nn' THEN 'norwegian_stem'
            WHEN 'no' THEN 'norwegian_stem' WHEN 'pt' THEN 'portuguese_stem' WHEN 'ro' THEN 'romanian_stem' WHEN 'ru' THEN 'russian_stem'
            WHEN 'sv' THEN 'swedish_stem' WHEN 'tr' THEN 'turkish_stem' ELSE 'simple' END)::regdictionary AS dictionary
        FROM unnest(locales) AS known(locale)
    ), spellings AS (
        -- German words are often typed without umlauts: "Toepfern".
        SELECT place, word, dictionary FROM unnest(words) WITH ORDINALITY AS asked(word, place) CROSS JOIN dictionaries
        UNION
        SELECT place, replace(replace(replace(word, 'ae', 'ä'), 'oe', 'ö'), 'ue', 'ü'), dictionary
        FROM unnest(words) WITH ORDINALITY AS asked(word, place) CROSS JOIN dictionaries
        WHERE dictionary = 'german_stem'::regdictionary
    ), stems AS (
        SELECT place, search_fold(word) AS folded, ts_lexize(dictionary, word) AS lexemes FROM spellings
    ), prefixes AS (
        SELECT place, folded, lexemes, (
            SELECT max(length) FROM generate_series(0, length(folded)) AS common(length)
            WHERE left(folded, length) = left(search_fold(coalesce(lexemes[1], folded)), length)) AS length
        FROM stems
    ), roots AS (
        -- "pottery" is made from pots, and "bakery" from what is baked: the stem of these words keeps their ending.
        SELECT place, regexp_replace(regexp_replace(search_fold(word), '(ery|eries)$', ''), '(.)\1$', '\1') AS root FROM spellings
        WHERE dictionary = 'english_stem'::regdictionary AND word ~ '...(ery|eries)$'
    ), alternatives AS (
        SELECT place, coalesce(lexemes = '{}', false) AS is_stop_word, quote_literal(CASE WHEN length < 3 THEN folded ELSE left(folded, length) END)
            || CASE WHEN length(folded) < 3 THEN '' ELSE ':*' END AS term
        FROM prefixes WHERE folded <> ''
        UNION
        SELECT place, false, quote_literal(root || ending) FROM roots CROSS JOIN unnest(ARRAY['', 's', 'e', 'es']) AS forms(ending)
    ), terms AS (
        SELECT place, string_agg(DISTINCT term, ' | ') AS term FROM alternatives GROUP BY place HAVING NOT bool_or(is_stop_word)
    )
    SELECT string_agg('(' || term || ')', CASE WHEN needs_every THEN ' & ' ELSE ' | ' END ORDER BY place)::tsquery FROM terms
$$;

CREATE INDEX "course_words" ON "course" USING gin (search_vector("title", ARRAY["subtitle", "category", "level"] || "tags", "description"));
CREATE INDEX "lecturer_words" ON "lecturer" USING gin (search_vector("display_name", ARRAY["headline"] || "expertise", "bio"));
CREATE INDEX "event_words" ON "event" USING gin (search_vector("title", ARRAY["kind"], CASE WHEN "access" = 'public' THEN "description" END));
CREATE INDEX "membership_plan_words" ON "membership_plan" USING gin (search_vector("name", ARRAY["badge"] || "benefits", "description"));
CREATE INDEX "post_words" ON "post" USING gin (
    search_vector("title", ARRAY["kind"] || "tags", coalesce("excerpt", CASE WHEN "visibility" = 'public' THEN "automatic_excerpt" END)));
CREATE INDEX "digital_product_words" ON "digital_product" USING gin (search_vector("title", ARRAY["subtitle", "category", "kind"] || "tags", "description"));
CREATE INDEX "page_words" ON "page" USING gin (search_vector("title", ARRAY["kind"], NULL));
