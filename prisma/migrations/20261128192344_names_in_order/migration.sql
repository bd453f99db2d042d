-- Works with releases from: 20261123150000_reported_forms
-- Locks: ACCESS EXCLUSIVE on course, ACCESS EXCLUSIVE on digital_product, ACCESS EXCLUSIVE on form, ACCESS EXCLUSIVE on lecturer, ACCESS EXCLUSIVE on membership_plan, ACCESS EXCLUSIVE on page, ACCESS EXCLUSIVE on person, ACCESS EXCLUSIVE on post, SHARE ROW EXCLUSIVE on school
-- Work: builds 1 index of form, builds 1 index of lecturer, builds 1 index of membership_plan

-- AlterTable
ALTER TABLE "course" ADD COLUMN     "title_order" TEXT COLLATE "C" NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "digital_product" ADD COLUMN     "title_order" TEXT COLLATE "C" NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "form" ADD COLUMN     "title_order" TEXT COLLATE "C" NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "lecturer" ADD COLUMN     "display_name_order" TEXT COLLATE "C" NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "membership_plan" ADD COLUMN     "name_order" TEXT COLLATE "C" NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "page" ADD COLUMN     "title_order" TEXT COLLATE "C" NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "person" ADD COLUMN     "display_name_order" TEXT COLLATE "C" NOT NULL DEFAULT '',
ADD COLUMN     "name_order" TEXT COLLATE "C" NOT NULL DEFAULT '';

-- AlterTable
ALTER TABLE "post" ADD COLUMN     "title_order" TEXT COLLATE "C" NOT NULL DEFAULT '';

-- CreateTable
CREATE TABLE "name_language" (
    "school_id" UUID NOT NULL,
    "language" TEXT NOT NULL,
    "ordered_at" TIMESTAMPTZ(3),

    CONSTRAINT "name_language_pkey" PRIMARY KEY ("school_id")
);

-- CreateTable
CREATE TABLE "name_weight" (
    "language" TEXT COLLATE "C" NOT NULL,
    "unit" TEXT COLLATE "C" NOT NULL,
    "letter" TEXT NOT NULL,
    "accent" TEXT NOT NULL,
    "capital" TEXT NOT NULL,

    CONSTRAINT "name_weight_pkey" PRIMARY KEY ("language","unit")
);

-- CreateIndex
CREATE INDEX "form_school_id_title_order_id_idx" ON "form"("school_id", "title_order", "id");

-- CreateIndex
CREATE INDEX "lecturer_school_id_display_name_order_id_idx" ON "lecturer"("school_id", "display_name_order", "id");

-- CreateIndex
CREATE INDEX "membership_plan_school_id_name_order_id_idx" ON "membership_plan"("school_id", "name_order", "id");

-- AddForeignKey
ALTER TABLE "name_language" ADD CONSTRAINT "name_language_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school"("id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- Handwritten: the order of a name in a language, from the weights of its letters: those of the letters, then of their accents, then of their
-- capitals, as the Unicode Collation Algorithm compares them (UTS 10). A number is its length and its digits. Korean syllables and Chinese
-- characters without weights are in the order of their codes, behind the first of them.
CREATE FUNCTION name_order(wanted text, name text) RETURNS text LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    pattern text := (SELECT letter FROM name_weight WHERE language = wanted AND unit = '');
    folded text := CASE WHEN name ~ '^[ -~]*$' THEN left(name, 300) ELSE translate(normalize(left(name, 300), NFKC), U&'\0660\0661\0662\0663\0664\0665\0666\0667\0668\0669\06f0\06f1\06f2\06f3\06f4\06f5\06f6\06f7\06f8\06f9\07c0\07c1\07c2\07c3\07c4\07c5\07c6\07c7\07c8\07c9\0966\0967\0968\0969\096a\096b\096c\096d\096e\096f\09e6\09e7\09e8\09e9\09ea\09eb\09ec\09ed\09ee\09ef\0a66\0a67\0a68\0a69\0a6a\0a6b\0a6c\0a6d\0a6e\0a6f\0ae6\0ae7\0ae8\0ae9\0aea\0aeb\0aec\0aed\0aee\0aef\0b66\0b67\0b68\0b69\0b6a\0b6b\0b6c\0b6d\0b6e\0b6f\0be6\0be7\0be8\0be9\0bea\0beb\0bec\0bed\0bee\0bef\0c66\0c67\0c68\0c69\0c6a\0c6b\0c6c\0c6d\0c6e\0c6f\0ce6\0ce7\0ce8\0ce9\0cea\0ceb\0cec\0ced\0cee\0cef\0d66\0d67\0d68\0d69\0d6a\0d6b\0d6c\0d6d\0d6e\0d6f\0de6\0de7\0de8\0de9\0dea\0deb\0dec\0ded\0dee\0def\0e50\0e51\0e52\0e53\0e54\0e55\0e56\0e57\0e58\0e59\0ed0\0ed1\0ed2\0ed3\0ed4\0ed5\0ed6\0ed7\0ed8\0ed9\0f20\0f21\0f22\0f23\0f24\0f25\0f26\0f27\0f28\0f29\1040\1041\1042\1043\1044\1045\1046\1047\1048\1049\1090\1091\1092\1093\1094\1095\1096\1097\1098\1099\17e0\17e1\17e2\17e3\17e4\17e5\17e6\17e7\17e8\17e9\1810\1811\1812\1813\1814\1815\1816\1817\1818\1819\1946\1947\1948\1949\194a\194b\194c\194d\194e\194f\19d0\19d1\19d2\19d3\19d4\19d5\19d6\19d7\19d8\19d9\1a80\1a81\1a82\1a83\1a84\1a85\1a86\1a87\1a88\1a89\1a90\1a91\1a92\1a93\1a94\1a95\1a96\1a97\1a98\1a99\1b50\1b51\1b52\1b53\1b54\1b55\1b56\1b57\1b58\1b59\1bb0\1bb1\1bb2\1bb3\1bb4\1bb5\1bb6\1bb7\1bb8\1bb9\1c40\1c41\1c42\1c43\1c44\1c45\1c46\1c47\1c48\1c49\1c50\1c51\1c52\1c53\1c54\1c55\1c56\1c57\1c58\1c59\a620\a621\a622\a623\a624\a625\a626\a627\a628\a629\a8d0\a8d1\a8d2\a8d3\a8d4\a8d5\a8d6\a8d7\a8d8\a8d9\a900\a901\a902\a903\a904\a905\a906\a907\a908\a909\a9d0\a9d1\a9d2\a9d3\a9d4\a9d5\a9d6\a9d7\a9d8\a9d9\a9f0\a9f1\a9f2\a9f3\a9f4\a9f5\a9f6\a9f7\a9f8\a9f9\aa50\aa51\aa52\aa53\aa54\aa55\aa56\aa57\aa58\aa59\abf0\abf1\abf2\abf3\abf4\abf5\abf6\abf7\abf8\abf9', '01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789') END;
BEGIN
    IF pattern IS NULL THEN
        RETURN coalesce(comparison_form(left(name, 300)), '');
    END IF;
    RETURN (
        SELECT coalesce(left(string_agg(letters, '' ORDER BY place), 300), '') || E'\x01'
               || coalesce(left(rtrim(string_agg(accents, '' ORDER BY place), '!'), 150), '') || E'\x01'
               || coalesce(left(rtrim(string_agg(capitals, '' ORDER BY place), '!'), 150), '')
          FROM (
            SELECT place, coalesce(weight.accent, '!') AS accents, coalesce(weight.capital, '!') AS capitals,
                   CASE WHEN part.number IS NOT NULL THEN weight.letter || chr(32 + length(part.number)) || part.number
                        WHEN weight.unit IS NOT NULL THEN weight.letter
                        ELSE (SELECT letter FROM name_weight AS first
                               WHERE first.language = wanted AND first.unit = CASE WHEN part.unit BETWEEN '가' AND '힣' THEN '가' ELSE '一' END) || part.unit
                   END AS letters
              FROM regexp_matches(folded, pattern, 'g') WITH ORDINALITY AS found(match, place)
             CROSS JOIN LATERAL (
                SELECT match[1] COLLATE "C" AS unit, CASE WHEN match[1] ~ '^[0-9]' THEN ltrim(match[1], '0') END AS number) AS part
              LEFT JOIN name_weight AS weight
                ON weight.language = wanted AND weight.unit = CASE WHEN part.number IS NULL THEN part.unit ELSE '0' END
          ) AS weighed
    );
END
$$;

-- Arguments of the triggers: the column, and the one that takes its place if it is null. They also run where a copy switches others off: the rows
-- of a copy keep the order that they have, and those of an export that has none get one.
CREATE FUNCTION keep_name_order() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    wanted text := (SELECT language FROM name_language WHERE school_id = NEW.school_id);
BEGIN
    IF current_setting('schoolgate.copies_rows', true) = 'on'
       AND to_jsonb(NEW) ->> (split_part(TG_ARGV[0], ',', 1) || '_order') <> '' THEN
        RETURN NEW;
    END IF;
    CASE TG_ARGV[0]
        WHEN 'title' THEN NEW.title_order := name_order(wanted, NEW.title);
        WHEN 'name' THEN NEW.name_order := name_order(wanted, NEW.name);
        WHEN 'display_name' THEN NEW.display_name_order := name_order(wanted, NEW.display_name);
        WHEN 'display_name, name' THEN NEW.display_name_order := name_order(wanted, coalesce(NEW.display_name, NEW.name));
    END CASE;
    RETURN NEW;
END
$$;
CREATE TRIGGER course_title_order BEFORE INSERT OR UPDATE OF title ON "course" FOR EACH ROW EXECUTE FUNCTION keep_name_order('title');
ALTER TABLE "course" ENABLE ALWAYS TRIGGER course_title_order;
CREATE TRIGGER post_title_order BEFORE INSERT OR UPDATE OF title ON "post" FOR EACH ROW EXECUTE FUNCTION keep_name_order('title');
ALTER TABLE "post" ENABLE ALWAYS TRIGGER post_title_order;
CREATE TRIGGER digital_product_title_order BEFORE INSERT OR UPDATE OF title ON "digital_product" FOR EACH ROW EXECUTE FUNCTION keep_name_order('title');
ALTER TABLE "digital_product" ENABLE ALWAYS TRIGGER digital_product_title_order;
CREATE TRIGGER page_title_order BEFORE INSERT OR UPDATE OF title ON "page" FOR EACH ROW EXECUTE FUNCTION keep_name_order('title');
ALTER TABLE "page" ENABLE ALWAYS TRIGGER page_title_order;
CREATE TRIGGER form_title_order BEFORE INSERT OR UPDATE OF title ON "form" FOR EACH ROW EXECUTE FUNCTION keep_name_order('title');
ALTER TABLE "form" ENABLE ALWAYS TRIGGER form_title_order;
CREATE TRIGGER membership_plan_name_order BEFORE INSERT OR UPDATE OF name ON "membership_plan" FOR EACH ROW EXECUTE FUNCTION keep_name_order('name');
ALTER TABLE "membership_plan" ENABLE ALWAYS TRIGGER membership_plan_name_order;
CREATE TRIGGER lecturer_display_name_order BEFORE INSERT OR UPDATE OF display_name ON "lecturer" FOR EACH ROW EXECUTE FUNCTION keep_name_order('display_name');
ALTER TABLE "lecturer" ENABLE ALWAYS TRIGGER lecturer_display_name_order;
CREATE TRIGGER person_name_order BEFORE INSERT OR UPDATE OF name ON "person" FOR EACH ROW EXECUTE FUNCTION keep_name_order('name');
ALTER TABLE "person" ENABLE ALWAYS TRIGGER person_name_order;
CREATE TRIGGER person_display_name_order BEFORE INSERT OR UPDATE OF name, display_name ON "person" FOR EACH ROW EXECUTE FUNCTION keep_name_order('display_name, name');
ALTER TABLE "person" ENABLE ALWAYS TRIGGER person_display_name_order;
