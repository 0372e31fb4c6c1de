import { sql, type Kysely } from 'kysely'

// servers that do not know it make no users, and write nothing into what is new
export const needs = '0051-image-digests'

/**
 * What domains, projects and users are described by, and a word to every server when somebody's rights change: sockets are
 * judged anew at once.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table identity_domain add column description text not null default ''`.execute(db)
  await sql`alter table identity_project add column tags text[] not null default '{}'`.execute(db)
  await sql`alter table identity_user add column description text not null default ''`.execute(db)

  await sql`
    create function tell_rights_changed() returns trigger language plpgsql as $$ begin
      perform pg_notify('rights_changed', tg_argv[0] || ':' || (case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end ->> tg_argv[1]));
      return null;
    end $$`.execute(db)
  await sql`
    create trigger rights_changed after update of roles, is_superuser on identity_user
      for each row when (old.roles <> new.roles or old.is_superuser <> new.is_superuser)
      execute function tell_rights_changed('user', 'id')`.execute(db)
  await sql`
    create trigger user_deleted after delete on identity_user
      for each row execute function tell_rights_changed('user', 'id')`.execute(db)
  await sql`
    create trigger rights_changed after insert or update or delete on identity_assignment
      for each row execute function tell_rights_changed('user', 'user_id')`.execute(db)
  await sql`
    create trigger project_disabled after update of enabled on identity_project
      for each row when (old.enabled and not new.enabled) execute function tell_rights_changed('project', 'id')`.execute(
    db,
  )
  await sql`
    create trigger project_deleted after delete on identity_project
      for each row execute function tell_rights_changed('project', 'id')`.execute(db)
}
