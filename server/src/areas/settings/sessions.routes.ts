import { sessionSettings } from '@mainstay/contract/settings/sessions'
import { serve } from '../../http/serve'
import { idleMinutes, sessionSetting } from '../../session/idle-setting'

export const sessionSettingsRoutes = serve(sessionSettings, {
  view: async (_, { settings }) => ({ idle_timeout_minutes: await idleMinutes(settings) }),
  save: async ({ body }, { settings }) => (await settings.change(sessionSetting, () => ({ value: body }))).value,
})
