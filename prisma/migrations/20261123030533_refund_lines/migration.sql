-- AlterTable
ALTER TABLE "order_item" ADD COLUMN     "refunded_at" TIMESTAMPTZ(3),
ADD COLUMN     "refunded_tax_amount" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "orders" ADD COLUMN     "refunded_tax_amount" BIGINT NOT NULL DEFAULT 0;

-- AlterTable
ALTER TABLE "refund" ADD COLUMN     "tax_amount" BIGINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "refund_item" (
    "school_id" UUID NOT NULL,
    "refund_id" UUID NOT NULL,
    "order_item_id" UUID NOT NULL,
    "amount" BIGINT NOT NULL,
    "tax_amount" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "refund_item_pkey" PRIMARY KEY ("school_id","refund_id","order_item_id")
);

-- CreateIndex
CREATE INDEX "refund_item_school_id_order_item_id_idx" ON "refund_item"("school_id", "order_item_id");

-- AddForeignKey
ALTER TABLE "refund_item" ADD CONSTRAINT "refund_item_refund_id_fkey" FOREIGN KEY ("school_id", "refund_id") REFERENCES "refund"("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- AddForeignKey
ALTER TABLE "refund_item" ADD CONSTRAINT "refund_item_order_item_id_fkey" FOREIGN KEY ("school_id", "order_item_id") REFERENCES "order_item"("school_id", "id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- Earlier refunds: each order's refunds and lines are laid end to end, and what overlaps belongs together. So the parts of a line add up to
-- what was refunded of it, and the parts of a refund to the refund.
INSERT INTO "refund_item" ("school_id", "refund_id", "order_item_id", "amount")
SELECT paid_back."school_id", paid_back."id", line."id",
       (least(paid_back.up_to, line.up_to) - greatest(paid_back.up_to - paid_back."amount", line.up_to - line."refunded_amount"))::bigint
  FROM (SELECT "school_id", "order_id", "id", "amount", sum("amount") OVER (PARTITION BY "school_id", "order_id" ORDER BY "id") AS up_to
          FROM "refund") AS paid_back
  JOIN (SELECT "school_id", "order_id", "id", "refunded_amount",
               sum("refunded_amount") OVER (PARTITION BY "school_id", "order_id" ORDER BY "position") AS up_to
          FROM "order_item") AS line
    ON line."school_id" = paid_back."school_id" AND line."order_id" = paid_back."order_id"
 WHERE least(paid_back.up_to, line.up_to) > greatest(paid_back.up_to - paid_back."amount", line.up_to - line."refunded_amount");

-- The tax of the parts, rounded in the running sum of the line, so that it adds up to the tax of the line.
UPDATE "refund_item" SET "tax_amount" = taxed.tax
  FROM (SELECT part."school_id", part."refund_id", part."order_item_id",
               (floor((2 * line."tax_amount" * summed.up_to + line."total_amount") / (2 * line."total_amount"))
                - floor((2 * line."tax_amount" * (summed.up_to - part."amount") + line."total_amount") / (2 * line."total_amount")))::bigint AS tax
          FROM "refund_item" AS part
          JOIN (SELECT "school_id", "refund_id", "order_item_id",
                       sum("amount") OVER (PARTITION BY "school_id", "order_item_id" ORDER BY "refund_id") AS up_to
                  FROM "refund_item") AS summed
            ON summed."school_id" = part."school_id" AND summed."refund_id" = part."refund_id" AND summed."order_item_id" = part."order_item_id"
          JOIN "order_item" AS line ON line."school_id" = part."school_id" AND line."id" = part."order_item_id"
         WHERE line."total_amount" > 0) AS taxed
 WHERE "refund_item"."school_id" = taxed."school_id" AND "refund_item"."refund_id" = taxed."refund_id"
   AND "refund_item"."order_item_id" = taxed."order_item_id";

UPDATE "refund" SET "tax_amount" = part.tax
  FROM (SELECT "school_id", "refund_id", sum("tax_amount")::bigint AS tax FROM "refund_item" GROUP BY "school_id", "refund_id") AS part
 WHERE "refund"."school_id" = part."school_id" AND "refund"."id" = part."refund_id";

UPDATE "order_item" SET "refunded_tax_amount" = part.tax
  FROM (SELECT "school_id", "order_item_id", sum("tax_amount")::bigint AS tax FROM "refund_item" GROUP BY "school_id", "order_item_id") AS part
 WHERE "order_item"."school_id" = part."school_id" AND "order_item"."id" = part."order_item_id";

UPDATE "orders" SET "refunded_tax_amount" = line.tax
  FROM (SELECT "school_id", "order_id", sum("refunded_tax_amount")::bigint AS tax FROM "order_item" GROUP BY "school_id", "order_id") AS line
 WHERE "orders"."school_id" = line."school_id" AND "orders"."id" = line."order_id" AND line.tax > 0;

-- Only a refund of the whole order ended access so far.
UPDATE "order_item" SET "refunded_at" = coalesce("orders"."refunded_at", "orders"."updated_at")
  FROM "orders"
 WHERE "orders"."school_id" = "order_item"."school_id" AND "orders"."id" = "order_item"."order_id" AND "orders"."status" = 'refunded';
