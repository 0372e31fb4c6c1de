import { sql, type Kysely } from 'kysely'

// servers that do not know groups go on, and give nobody their rights
export const needs = '0051-image-digests'

/** Groups of a domain: users who share rights. Whoever gains or loses some by a group is told of as of those of their own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table identity_group (
      id text primary key,
      domain_id text not null references identity_domain (id) on delete cascade,
      name text not null,
      -- the name without regard to case: it is taken once in a domain
      folded_name text not null,
      description text not null default '',
      roles text[] not null default '{}',
      created_at timestamptz not null default now(),
      unique (domain_id, folded_name)
    )`.execute(db)
  await sql`
    create table identity_group_member (
      group_id text not null references identity_group (id) on delete cascade,
      user_id text not null references identity_user (id) on delete cascade,
      primary key (group_id, user_id)
    )`.execute(db)
  await sql`create index identity_group_member_user on identity_group_member (user_id)`.execute(db)
  await sql`
    create table identity_group_assignment (
      group_id text not null references identity_group (id) on delete cascade,
      project_id text not null references identity_project (id) on delete cascade,
      role text not null,
      primary key (group_id, project_id)
    )`.execute(db)
  await sql`create index identity_group_assignment_project on identity_group_assignment (project_id)`.execute(db)

  await sql`
    create trigger rights_changed after insert or delete on identity_group_member
      for each row execute function tell_rights_changed('user', 'user_id')`.execute(db)
  await sql`
    create function tell_group_rights_changed() returns trigger language plpgsql as $$ begin
      perform pg_notify('rights_changed', 'user:' || user_id) from identity_group_member
        where group_id = (case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end ->> tg_argv[0]);
      return null;
    end $$`.execute(db)
  await sql`
    create trigger rights_changed after update of roles on identity_group
      for each row when (old.roles <> new.roles) execute function tell_group_rights_changed('id')`.execute(db)
  await sql`
    create trigger rights_changed after insert or update or delete on identity_group_assignment
      for each row execute function tell_group_rights_changed('group_id')`.execute(db)
}
