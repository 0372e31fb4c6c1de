import { resources } from '@mainstay/contract/resources'
import { recycleBinSettings } from '@mainstay/contract/settings/recycle-bin'
import { serveResource } from '../../http/serve-resource'
import { serve } from '../../http/serve'
import { daysSet, emptyBin, recycleBinSetting } from './recycle-bin.service'

export const recycleBinRoutes = serveResource(resources.recycleBin, ({ ports }) => ports.storage.recycleBin, {
  restore: ({ scope, params }, { ports }) => ports.storage.recycleBin.restore(scope, params.id),
  empty: ({ scope, query }, tools) => emptyBin(tools, scope, query.project_id),
})

export const recycleBinSettingsRoutes = serve(recycleBinSettings, {
  view: async (_, tools) => ({ days: await daysSet(tools) }),
  save: async ({ body }, { settings }) => (await settings.change(recycleBinSetting, () => ({ value: body }))).value,
})
