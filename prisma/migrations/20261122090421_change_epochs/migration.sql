-- CreateTable
CREATE TABLE "change_epoch" (
    "number" BIGINT NOT NULL,
    "database_started_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "change_epoch_pkey" PRIMARY KEY ("number")
);

-- CreateIndex
CREATE UNIQUE INDEX "change_epoch_database_started_at_key" ON "change_epoch"("database_started_at");

-- Handwritten: returns the number of the current run of the database server. The first caller of a run adds it: above every earlier
-- number, and not below the time in milliseconds, so that it is also above the numbers that a restored backup does not know.
-- Where another transaction adds it at the same time, DO UPDATE waits for that transaction and returns its row.
CREATE FUNCTION current_change_epoch() RETURNS BIGINT LANGUAGE sql VOLATILE AS '
    WITH added AS (
        INSERT INTO change_epoch (number, database_started_at)
            SELECT greatest(coalesce(max(number), 0) + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint), pg_postmaster_start_time()
              FROM change_epoch
            HAVING NOT EXISTS (SELECT FROM change_epoch WHERE database_started_at = pg_postmaster_start_time())
            ON CONFLICT (database_started_at) DO UPDATE SET number = change_epoch.number
            RETURNING number
    )
    SELECT number FROM added
    UNION ALL
    SELECT number FROM change_epoch WHERE database_started_at = pg_postmaster_start_time()
';

-- AlterTable: what is stored precedes every run that is numbered.
ALTER TABLE "change_log" DROP CONSTRAINT "change_log_pkey",
ADD COLUMN     "epoch" BIGINT NOT NULL DEFAULT 0,
ADD CONSTRAINT "change_log_pkey" PRIMARY KEY ("school_id", "epoch", "transaction", "id");
ALTER TABLE "change_log" ALTER COLUMN "epoch" SET DEFAULT current_change_epoch();
