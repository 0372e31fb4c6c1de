import { SecondFactorRule } from '@mainstay/contract/identity/sign-in-rules'
import type * as z from 'zod'
import type { Sql } from '@mainstay/engines/ports/engines'
import { withRecord } from '../audit/acts'

type Rule = z.infer<typeof SecondFactorRule>

/** Sign-in rules that domains set for their local users. */
export interface SignInRules {
  secondFactorOf(domainId: string): Promise<Rule>
  setSecondFactor(domainId: string, rule: Rule): Promise<void>
  /** Number of local users who can sign in with only a password, unless a rule requires more. */
  usersWithout(domainId: string): Promise<number>
}

export const createSignInRules = (sql: Sql): SignInRules => ({
  async secondFactorOf(domainId) {
    const [row] = await sql.query<{ second_factor: string }>(
      'select second_factor from sign_in_rule where domain_id = $1',
      [domainId],
    )
    return SecondFactorRule.catch('off').parse(row?.second_factor)
  },

  setSecondFactor: (domainId, rule) =>
    withRecord(sql, async (inside, record) => {
      await inside.query(
        `insert into sign_in_rule (domain_id, second_factor) values ($1, $2)
          on conflict (domain_id) do update set second_factor = excluded.second_factor`,
        [domainId, rule],
      )
      await record()
    }),

  async usersWithout(domainId) {
    const [row] = await sql.query<{ count: number }>(
      `select count(*)::int as count from identity_user u
        where u.domain_id = $1 and u.identity_provider is null
          and not exists (select from second_factor f where f.user_id = u.id and f.confirmed_at is not null)
          and not exists (select from passkey p where p.user_id = u.id)`,
      [domainId],
    )
    return row!.count
  },
})
