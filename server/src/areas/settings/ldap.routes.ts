import { notFound, problem, fieldProblem } from '@mainstay/contract/core/problems'
import { ldap, ldapDefaults, ldapKinds } from '@mainstay/contract/settings/ldap'
import { createRates, takeOne } from '../../http/overload/rates'
import { serve } from '../../http/serve'
import { tryDirectory } from '../../ldap/read-directory'
import { directorySetting, isInUse } from '../../ldap/settings'
import { limits } from '../../limits'
import { beginImport, endSessionsOfDirectory, lastImportSetting } from './ldap-import'
import { changed, importsOf, shown } from './ldap.service'

/** Rate-limited because each test connects to a host chosen by the caller. */
const tests = createRates(limits.testDirectories)
const testPatience = { withinMs: 60_000, quietMs: 10_000 }

export const ldapRoutes = serve(
  ldap,
  {
    async view(_, tools) {
      importsOf(tools)
      return shown(await tools.settings.read(directorySetting))
    },

    defaults({ params }, tools) {
      importsOf(tools)
      const kind = ldapKinds.find((one) => one === params.kind)
      if (!kind) throw notFound()
      return ldapDefaults[kind]
    },

    async create({ body }, tools) {
      importsOf(tools)
      return shown(
        await tools.settings.change(directorySetting, (kept) => {
          if (kept && kept.value.kind !== 'none') throw problem('settings.directory_set')
          return changed(kept, body)
        }),
      )
    },

    async update({ body }, tools) {
      importsOf(tools)
      let wasInUse = false
      const kept = await tools.settings.change(directorySetting, (before) => {
        wasInUse = before !== null && isInUse(before.value)
        return changed(before, body)
      })
      if (wasInUse && !isInUse(kept.value)) await endSessionsOfDirectory(tools)
      return shown(kept)
    },

    async test({ body, caller }, tools) {
      importsOf(tools)
      takeOne(tests, caller.user.id, 'directory')
      const { value, secret } = changed(await tools.settings.read(directorySetting), body)
      if (value.kind === 'none') throw fieldProblem('kind', 'settings.choose_directory_type')
      return tryDirectory(value, secret, testPatience)
    },

    async lastImport(_, tools) {
      importsOf(tools)
      return (await tools.settings.read(lastImportSetting))?.value ?? null
    },

    async import({ scope }, tools) {
      importsOf(tools)
      const kept = await tools.settings.read(directorySetting)
      if (!kept || !isInUse(kept.value)) throw problem('settings.directory_disabled')
      const task_id = await beginImport(tools, scope, { hidden: false })
      if (task_id === null) throw problem('settings.import_running')
      return { task_id }
    },
  },
  { about: 'directory' },
)
