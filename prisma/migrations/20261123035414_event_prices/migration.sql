-- AlterTable
ALTER TABLE "event" ADD COLUMN     "price_amount" BIGINT,
ADD COLUMN     "price_currency" TEXT;

-- AlterTable
ALTER TABLE "order_item" ADD COLUMN     "reserved_seats" INTEGER NOT NULL DEFAULT 0;
