import { sql, type Kysely } from 'kysely'

/** Domains, projects and users of the embedded identity. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table identity_domain (
      id text primary key,
      name text not null unique,
      enabled boolean not null default true,
      created_at timestamptz not null default now()
    )`.execute(db)
  await sql`
    create table identity_project (
      id text primary key,
      domain_id text not null references identity_domain (id),
      name text not null,
      description text not null default '',
      enabled boolean not null default true,
      -- 'system': where a system scope makes things
      reserved_for text unique,
      created_at timestamptz not null default now(),
      unique (domain_id, name)
    )`.execute(db)
  await sql`
    create table identity_user (
      id text primary key,
      domain_id text not null references identity_domain (id),
      name text not null,
      email text,
      enabled boolean not null default true,
      is_superuser boolean not null default false,
      roles text[] not null default '{}',
      password text not null,
      identity_provider text,
      created_at timestamptz not null default now(),
      unique (domain_id, name)
    )`.execute(db)
  await sql`
    create table identity_assignment (
      user_id text not null references identity_user (id) on delete cascade,
      project_id text not null references identity_project (id) on delete cascade,
      role text not null,
      primary key (user_id, project_id, role)
    )`.execute(db)
  await sql`create index identity_assignment_project on identity_assignment (project_id)`.execute(db)
}
