import { instanceStatuses } from '@mainstay/contract/compute/instance-rules'
import { expect, test } from 'vitest'
import { Square } from 'lucide-react'
import { actionWords } from './action-words'
import { shownStatus } from './instance-status'

test('uses different icons for statuses and actions, none of which looks like a checkbox', () => {
  const ofActions = new Set(Object.values(actionWords).map(({ icon }) => icon))
  for (const status of instanceStatuses) {
    const { icon } = shownStatus({ status, task_state: null, host_status: 'UP' })
    expect(icon && ofActions.has(icon), status).toBeFalsy()
    expect(icon, status).not.toBe(Square)
  }
  expect(ofActions).not.toContain(Square)
})
