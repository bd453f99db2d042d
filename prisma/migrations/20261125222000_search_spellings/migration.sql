-- Works with releases from: 20261123150000_reported_forms
-- Locks: SHARE on course, SHARE on digital_product, SHARE on event, SHARE on lecturer, SHARE on membership_plan, SHARE on page, SHARE on post
-- Work: scans course, scans digital_product, scans event, scans lecturer, scans membership_plan, scans page, scans post
-- Blocks requests: the functions and the indexes over them must change together. The tables have a row for each thing that a school offers, and changes to them wait for about a second for 20,000 rows.

-- Handwritten: see prisma/handwritten.txt

-- Letters that have no decomposition, and vowel signs of Arabic and Hebrew that writers may leave out, are compared as people type them.
CREATE OR REPLACE FUNCTION search_fold(value text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN regexp_replace(
        regexp_replace(
            replace(replace(replace(replace(replace(
                translate(lower(normalize(left(value, 20000), NFD)), 'ıøØłŁđĐðÐħĦŧŦ', 'ioollddddhhtt'),
                'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe'), 'þ', 'th'), 'ŋ', 'ng'),
            '[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0670\u06d6-\u06ed]', '', 'g'),
        '[!-/:-@\[-`{-~]+', ' ', 'g');

-- A word of one or two characters in Chinese, Japanese or Korean matches words that begin with it.
CREATE OR REPLACE FUNCTION search_query(words text[], locales text[], needs_every boolean) RETURNS tsquery LANGUAGE sql STABLE PARALLEL SAFE AS $$
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
$$;

REINDEX INDEX "course_words";
REINDEX INDEX "lecturer_words";
REINDEX INDEX "event_words";
REINDEX INDEX "membership_plan_words";
REINDEX INDEX "post_words";
REINDEX INDEX "digital_product_words";
REINDEX INDEX "page_words";
