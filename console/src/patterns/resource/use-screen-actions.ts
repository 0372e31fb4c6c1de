import { textsNow, useT } from '../../i18n/use-t'
import { listsBelow } from '../../nav/known-pages'
import { listBelow, useParents } from '../../nav/parents'
import type { Named, Resource, ResourceOf } from '../../nav/resource'
import { useAppNavigate } from '../../nav/use-app-navigate'
import { useMay } from '../../session/may'
import { EditIcon } from '../../ui/icons'
import type { RowAction } from '../table/row-action'
import type { Screens } from './screens'
import { useDeleteActions } from './use-delete-actions'
import { useResourceText } from './use-resource-text'

export interface PlainProps<Item extends Named> {
  resource: ResourceOf<Item>
  screens: Screens<Item>
}

const noActions = () => () => []
const always = () => true

/** Actions that open the lists nested under an object, in route order. */
function useListsBelow(resource: Resource): (item: { id: string }) => RowAction[] {
  const may = useMay()
  const go = useAppNavigate()
  const parents = useParents(resource)
  const lists = listsBelow(resource.path).filter(({ needs }) => may(needs))
  return ({ id }) =>
    lists.map(({ path, title }) => ({
      label: title ? textsNow(title.texts)(title.key as never) : path,
      group: 'show',
      run: () => go(listBelow(path, id, parents)),
    }))
}

/** Actions for an object: its nested lists, its own actions, edit, delete. `deleted` is called after a deletion. */
export function useScreenActions<Item extends Named>({ resource, screens }: PlainProps<Item>, deleted?: () => void) {
  const { useActions = noActions, useMayEdit = always, deleteNote, deleteBarred } = screens
  const t = useT(resource.area)
  const say = useResourceText(resource)
  const may = useMay()
  const go = useAppNavigate()
  const own = useActions()
  const below = useListsBelow(resource)
  const parents = useParents(resource)
  const canEdit = useMayEdit()
  const { update } = resource.calls
  const mayEdit = !!screens.form?.update && canEdit && update !== undefined && may(update.needs)
  const removal = useDeleteActions(resource, {
    note: deleteNote && t(deleteNote),
    barredBecause: deleteBarred && ((item) => deleteBarred(item, t)),
    deleted,
  })
  const edit = ({ id }: Item): RowAction => ({
    label: say('edit'),
    icon: EditIcon,
    run: () => go(resource.paths.edit(id, parents), { keepsSearch: true }),
  })
  return {
    bulk: removal.bulk,
    actions: (item: Item): RowAction[] => [
      ...below(item),
      ...own(item),
      ...(mayEdit ? [edit(item)] : []),
      ...removal.action(item),
    ],
  }
}
