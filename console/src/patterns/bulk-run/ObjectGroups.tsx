import { useT } from '../../i18n/use-t'
import { Disclosure } from '../../ui/Disclosure'
import type { Group } from './bulk'
import css from './bulk-run.module.css'

interface Shown {
  id: string
}

const shownAtFirst = 8
const nameOf = (item: Shown) => (item as { name?: string }).name ?? item.id

/** Names of objects; long lists are collapsed. */
export function ObjectNames({ items }: { items: readonly Shown[] }) {
  const t = useT('bulk')
  const names = items.map((item) => <li key={item.id}>{nameOf(item)}</li>)
  if (items.length <= shownAtFirst) return <ul className={css.names}>{names}</ul>
  return (
    <Disclosure title={t('names', { count: items.length })}>
      <ul className={css.names}>{names}</ul>
    </Disclosure>
  )
}

/** Objects grouped by reason. */
export const ObjectGroups = ({ groups }: { groups: readonly Group<Shown>[] }) => (
  <ul className={css.groups}>
    {groups.map(({ message, items }) => (
      <li key={message}>
        <strong>{message}</strong>
        <ObjectNames items={items} />
      </li>
    ))}
  </ul>
)
