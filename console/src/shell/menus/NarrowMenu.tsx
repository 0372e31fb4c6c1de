import { lazy, Suspense, useState } from 'react'
import { useRouterState } from '@tanstack/react-router'
import { useT } from '../../i18n/use-t'
import { useIsNarrow } from '../../lib/use-media'
import { IconButton } from '../../ui/IconButton'
import { MenuIcon } from '../../ui/icons'

const MenuDrawer = lazy(() => import('./MenuDrawer'))

/** The menu below 768 px: a header button that opens the menu drawer. */
export function NarrowMenu() {
  const t = useT('shell')
  const isNarrow = useIsNarrow()
  const [openAt, setOpenAt] = useState<string>()
  const place = useRouterState({ select: ({ location }) => location.pathname })
  // any navigation closes the menu, even if it did not start in the menu
  const isOpen = openAt === place
  if (!isNarrow) return null
  return (
    <>
      <IconButton icon={MenuIcon} label={t('menu.open')} onPress={() => setOpenAt(place)} />
      <Suspense fallback={null}>{isOpen && <MenuDrawer onClose={() => setOpenAt(undefined)} />}</Suspense>
    </>
  )
}
