-- AlterTable
ALTER TABLE "orders" ADD COLUMN     "invoice_number" TEXT,
ADD COLUMN     "invoice_seller" JSONB;

-- AlterTable
ALTER TABLE "refund" ADD COLUMN     "credit_note_number" TEXT;

-- CreateTable
CREATE TABLE "document_counter" (
    "school_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "year" INTEGER NOT NULL,
    "last_no" INTEGER NOT NULL,

    CONSTRAINT "document_counter_pkey" PRIMARY KEY ("school_id","kind","year")
);

-- CreateIndex
CREATE UNIQUE INDEX "orders_school_id_invoice_number_key" ON "orders"("school_id", "invoice_number");

-- CreateIndex
CREATE UNIQUE INDEX "refund_school_id_credit_note_number_key" ON "refund"("school_id", "credit_note_number");

-- AddForeignKey
ALTER TABLE "document_counter" ADD CONSTRAINT "document_counter_school_id_fkey" FOREIGN KEY ("school_id") REFERENCES "school"("id") ON DELETE RESTRICT ON UPDATE RESTRICT;

-- Orders and refunds that are recorded already get no numbers: their receipts were issued, and a number of a past year would be issued today.
