import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { useParents } from '../../nav/parents'
import type { Named } from '../../nav/resource'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { useParam } from '../../nav/use-param'
import { useIsAllTenants } from '../../session/session'
import { DrawerPage } from '../DrawerPage'
import { Facts } from '../Facts'
import { standardFacts } from './standard-facts'
import { useResourceText } from './use-resource-text'
import { useScreenActions, type PlainProps } from './use-screen-actions'

/** The details page of a standard resource, over its list. */
export function PlainPage<Item extends Named>(props: PlainProps<Item>) {
  const { resource } = props
  const { facts, Below } = props.screens
  const t = useT(resource.area)
  const patterns = useT('patterns')
  const say = useResourceText(resource)
  const go = useAppNavigate()
  const id = useParam('id')
  const parents = useParents(resource)
  const isAllTenants = useIsAllTenants()
  const view = useView(resource.calls.view!, { ...parents, id }, { kind: resource.kind })
  const closeTo = resource.paths.list(parents)
  const toList = () => go(closeTo, { keepsSearch: true })
  const { actions } = useScreenActions(props, toList)
  return (
    <DrawerPage view={view} what={say('one')} title={({ name }) => name} closeTo={closeTo} actions={actions}>
      {(item) => (
        <>
          <Facts rows={[...facts(item, t), ...standardFacts(item, patterns, isAllTenants)]} />
          {Below && <Below item={item} />}
        </>
      )}
    </DrawerPage>
  )
}
