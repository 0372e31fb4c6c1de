import * as z from 'zod'
import { fieldProblem } from '@mainstay/contract/core/problems'
import type { ReportSettings, ReportSettingsChange } from '@mainstay/contract/settings/reports'
import { Secret } from '@mainstay/engines/ports/secret'
import type { Change, StoredSetting, Setting } from '../settings/settings'

const Value = z.object({ sending_enabled: z.boolean(), url: z.string(), ca: z.string() })
type Value = z.infer<typeof Value>

/** Where reports are sent. The token is the setting's secret. */
export const reportSetting: Setting<Value> = { name: 'reports', shape: Value }

const nowhere: Value = { sending_enabled: false, url: '', ca: '' }

/** The setting as returned to callers: operators see the destination, others only whether sending is enabled. */
export function shown(kept: StoredSetting<Value> | null, running: boolean, isOperator: boolean): ReportSettings {
  const { sending_enabled, url, ca } = kept?.value ?? nowhere
  const has_token = kept !== null && (kept.secret !== null || kept.isSealedElsewhere)
  const destination = isOperator
    ? { url: url === '' ? null : url, has_token, has_ca: ca !== '' }
    : { url: null, has_token: false, has_ca: false }
  return { problem: { sending_enabled, running, ...destination } }
}

/**
 * Applies a change to the setting. A saved token is sent only to the URL and CA that it was saved for; any other
 * destination requires the token again. Throws a `validation` error on the offending field.
 */
export function changed(
  kept: StoredSetting<Value> | null,
  { problem: change }: ReportSettingsChange,
): Required<Change<Value>> {
  const before = kept?.value ?? nowhere
  const value: Value = {
    sending_enabled: change.sending_enabled ?? before.sending_enabled,
    url: change.url ?? before.url,
    ca: change.ca ?? before.ca,
  }
  if (value.sending_enabled && value.url === '') throw fieldProblem('problem.url', 'settings.enter_report_address')
  if (value.url === '') return { value, secret: null }
  if (change.token !== undefined) return { value, secret: change.token === '' ? null : new Secret(change.token) }
  const isThere = kept !== null && (kept.secret !== null || kept.isSealedElsewhere)
  if (isThere && (kept.isSealedElsewhere || before.url !== value.url || before.ca !== value.ca))
    throw fieldProblem('problem.token', kept.isSealedElsewhere ? 'settings.token_again_sealed' : 'settings.token_again')
  return { value, secret: kept?.secret ?? null }
}
