import { sql, type Kysely } from 'kysely'

// servers without support for steps do not know the jobs that have steps, and leave them alone
export const needs = '0149-baseline'

/** Adds jobs with steps, jobs that hold several subjects, and jobs for servers that can reach a certain node. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table job
      -- which steps have begun and are done, and what they kept
      add column steps jsonb,
      -- what a step asks a person, and what they answered
      add column question jsonb,
      add column answer jsonb,
      add column pause_requested boolean not null default false,
      -- since when it has answered that it waits, run after run, in this step
      add column waits_since timestamptz,
      -- id of the node that a server has to reach to run it
      add column node text`.execute(db)
  await sql`create index job_of_node on job (node) where node is not null`.execute(db)
  await sql`
    create table job_hold (
      job_id text not null references job on delete cascade,
      -- as job.subject_key, and the number of the job
      subject_key text collate "C" not null,
      number bigint not null,
      primary key (subject_key, number)
    )`.execute(db)
  await sql`create index job_hold_of_job on job_hold (job_id)`.execute(db)
  await sql`alter table server add column nodes text[] not null default '{}'`.execute(db)
}
