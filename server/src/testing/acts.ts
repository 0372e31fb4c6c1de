import type { Volume } from '@mainstay/contract/storage/volumes'
import type { ActPlan } from '../audit/acts'
import { systemScope } from './inventory-fixture'
import type { TestServer } from './start-server'

/** The fields of an audit log entry that specs check. */
export interface Line {
  action: string
  subject_id: string | null
  subject_name: string | null
  user_name: string | null
  result: string
  status: number
  message: string | null
}

let plans = 0

/** Returns the plan for an action that renames a volume. */
export const plan = (more: Partial<ActPlan> = {}): ActPlan => ({
  call: {
    ...{
      action: 'volume.update',
      scope: { ...systemScope, user_name: 'tester' },
      request_id: `act-${++plans}`,
      address: '192.0.2.7',
    },
    ...{ method: 'PATCH', path: '/', started_at: new Date() },
  },
  ...{ status: 200, kind: 'volume', noteFirst: false },
  subjectOf: (thing) => ({ kind: 'volume', id: null, name: null, ...(thing as Volume | undefined) }),
  ...more,
})

export const linesOfRequest = ({ sql }: TestServer, { call }: ActPlan): Promise<Line[]> =>
  sql.query<Line>('select * from audit where request_id = $1 order by id', [call.request_id])

/** Renames a volume in a transaction; with `fail`, the transaction is rolled back. */
export const rename = ({ tools }: TestServer, id: string, name: string, fail = false): Promise<void> =>
  tools.inventory.transaction(async (records) => {
    await records.put('volume', { ...(await records.lock<Volume>('volume', id))!, name })
    if (fail) throw new Error('it came to nothing')
  })
