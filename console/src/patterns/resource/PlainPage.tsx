import type { View } from '../../api/use-view'
import { useView } from '../../api/use-view'
import { useT } from '../../i18n/use-t'
import { useGo } from '../../nav/use-go'
import { useParam } from '../../nav/use-param'
import { useIsAllTenants } from '../../session/session'
import { DrawerPage } from '../DrawerPage'
import { Facts } from '../Facts'
import type { Screens } from './screens'
import { standardFacts } from './standard-facts'
import { useResourceText } from './use-resource-text'
import { useScreenActions, type PlainProps } from './use-screen-actions'

interface Item {
  id: string
  name: string
}

/** The details of one object of an ordinary resource, over its list. */
export function PlainPage(props: PlainProps) {
  const { resource } = props
  const { facts, Above, Below } = props.screens as unknown as Screens<Item>
  const t = useT(resource.area)
  const patterns = useT('patterns')
  const say = useResourceText(resource)
  const go = useGo()
  const id = useParam('id')
  const isAllTenants = useIsAllTenants()
  const view = useView(resource.calls.view!, { id }, { kind: resource.kind }) as unknown as View<Item>
  const toList = () => go(resource.paths.list(), { keepsSearch: true })
  const { actions } = useScreenActions(props, toList)
  return (
    <DrawerPage
      view={view}
      what={say('one')}
      title={({ name }) => name}
      closeTo={resource.paths.list()}
      actions={actions}
    >
      {(item) => (
        <>
          {Above && <Above item={item} />}
          <Facts rows={[...facts(item, t), ...standardFacts(item, patterns, isAllTenants)]} />
          {Below && <Below item={item} />}
        </>
      )}
    </DrawerPage>
  )
}
