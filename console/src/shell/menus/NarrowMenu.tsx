import { lazy, Suspense, useState } from 'react'
import { useRouterState } from '@tanstack/react-router'
import { useT } from '../../i18n/use-t'
import { useIsNarrow } from '../../lib/use-media'
import { IconButton } from '../../ui/IconButton'
import { MenuIcon } from '../../ui/icons'

const MenuDrawer = lazy(() => import('./MenuDrawer'))

/** The menu below 768 px: a button in the header that opens it over the page. */
export function NarrowMenu() {
  const t = useT('shell')
  const isNarrow = useIsNarrow()
  const [openAt, setOpenAt] = useState<string>()
  const place = useRouterState({ select: ({ location }) => location.pathname })
  // whoever went somewhere has no more use for the menu, also where no entry of it was chosen
  const isOpen = openAt === place
  if (!isNarrow) return null
  return (
    <>
      <IconButton icon={MenuIcon} label={t('menu.open')} onPress={() => setOpenAt(place)} />
      <Suspense fallback={null}>{isOpen && <MenuDrawer onClose={() => setOpenAt(undefined)} />}</Suspense>
    </>
  )
}
