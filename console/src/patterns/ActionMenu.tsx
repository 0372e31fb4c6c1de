import { lazy, Suspense, useState } from 'react'
import { useT } from '../i18n/use-t'
import { HelpIcon } from '../ui/icons'
import { Menu, type MenuProps } from '../ui/overlays/Menu'
import { actionsOf, splitMenuItems, type MenuRow } from './split-menu-items'

const WhyDialog = lazy(() => import('./permissions/WhyDialog'))

interface ActionMenuProps extends Omit<MenuProps, 'items' | 'onOpenChange'> {
  items: readonly MenuRow[]
}

/**
 * A menu of the actions available for an object. Unavailable actions are collapsed and show their reasons. If a rule or
 * a missing permission blocks one of the visible actions, the last item explains why.
 */
export function ActionMenu({ items, ...menu }: ActionMenuProps) {
  const t = useT('patterns')
  const [isAsking, setAsking] = useState(false)
  const [isUnfolded, setUnfolded] = useState(false)
  const { shown, barred } = splitMenuItems(items)
  const offered: MenuRow[] = [...shown]
  if (barred.length > 0) {
    const label = t('table.barred', { count: barred.length })
    if (shown.length > 0) offered.push('line')
    offered.push(
      { id: 'barred', label, isUnfolded, run: () => setUnfolded(!isUnfolded) },
      ...(isUnfolded ? barred : []),
    )
  }
  const asked = (rows: readonly MenuRow[]) =>
    actionsOf(rows).find(({ disabledBecause, about: it }) => disabledBecause !== undefined && it)?.about
  const about = asked(items)
  if (asked(offered)) offered.push('line', { label: t('why'), icon: HelpIcon, run: () => setAsking(true) })
  return (
    <>
      <Menu {...menu} items={offered} onOpenChange={(isOpen) => !isOpen && setUnfolded(false)} />
      <Suspense fallback={null}>
        {isAsking && about && <WhyDialog about={about} onClose={() => setAsking(false)} />}
      </Suspense>
    </>
  )
}
