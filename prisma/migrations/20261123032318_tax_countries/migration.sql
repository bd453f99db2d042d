-- AlterTable
ALTER TABLE "orders" ADD COLUMN     "tax_country" TEXT,
ADD COLUMN     "tax_rate_bps" INTEGER;

-- CreateTable
CREATE TABLE "analytics_daily_tax" (
    "school_id" UUID NOT NULL,
    "day" DATE NOT NULL,
    "country" TEXT NOT NULL,
    "rate_bps" INTEGER NOT NULL,
    "gross" BIGINT NOT NULL DEFAULT 0,
    "tax" BIGINT NOT NULL DEFAULT 0,
    "refunds" BIGINT NOT NULL DEFAULT 0,
    "refunded_tax" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "analytics_daily_tax_pkey" PRIMARY KEY ("school_id","day","country","rate_bps")
);

-- AddForeignKey
ALTER TABLE "analytics_daily_tax" ADD CONSTRAINT "analytics_daily_tax_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school"("id") ON DELETE CASCADE ON UPDATE RESTRICT;

-- Without tax the rate is known. For other earlier orders it is not: the settings of the school may have changed since.
UPDATE "orders" SET "tax_rate_bps" = 0 WHERE "tax_mode" = 'none';
