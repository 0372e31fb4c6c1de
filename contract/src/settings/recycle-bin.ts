import { says } from '../core/said'
import * as z from 'zod'
import { endpoints, read, update } from '../core/endpoint'

export const DEFAULT_RECYCLE_DAYS = 7
/** Ninety days: what is kept takes space. */
export const MOST_RECYCLE_DAYS = 90

/** How long what was deleted can be restored. */
export const RecycleBinSettings = z
  .strictObject({
    days: z
      .number(says('core.enter_days'))
      .int(says('settings.whole_days'))
      .min(0, says('core.at_least', { least: 0 }))
      .max(MOST_RECYCLE_DAYS, says('core.at_most', { most: MOST_RECYCLE_DAYS }))
      .describe(
        'Days for which deleted virtual machines and volumes can be restored; 0: they are deleted for good at once. ' +
          'What is in the recycle bin already keeps its date',
      ),
  })
  .meta({ examples: [{ days: DEFAULT_RECYCLE_DAYS }] })
export type RecycleBinSettings = z.infer<typeof RecycleBinSettings>

const resource = 'settings_recycle_bin'
const path = '/api/v2/settings/recycle-bin'

export const recycleBinSettings = endpoints({
  view: {
    verb: 'GET',
    path,
    needs: read(resource),
    summary: 'How long deleted virtual machines and volumes can be restored',
    reply: RecycleBinSettings,
  },
  save: {
    verb: 'PUT',
    path,
    needs: update(resource),
    summary: 'Says how long deleted virtual machines and volumes can be restored, and whether',
    body: RecycleBinSettings,
    reply: RecycleBinSettings,
  },
})
