import { lazy, Suspense, useState } from 'react'
import { useRouterState } from '@tanstack/react-router'
import { useT } from '../i18n/use-t'
import { useIsNarrow } from '../lib/use-media'
import { IconButton } from '../ui/IconButton'
import { MenuIcon } from '../ui/icons'
import { MenuList } from './MenuList'
import css from './SideMenu.module.css'

const Drawer = lazy(() => import('../ui/overlays/Drawer').then(({ Drawer: component }) => ({ default: component })))

/** The menu below 768 px: a button in the header that opens it over the page. */
export function NarrowMenu() {
  const t = useT('shell')
  const isNarrow = useIsNarrow()
  const [openAt, setOpenAt] = useState<string>()
  const place = useRouterState({ select: ({ location }) => location.pathname })
  // whoever went somewhere has no more use for the menu, also where no entry of it was chosen
  const isOpen = openAt === place
  const close = () => setOpenAt(undefined)
  if (!isNarrow) return null
  return (
    <>
      <IconButton icon={MenuIcon} label={t('menu.open')} onPress={() => setOpenAt(place)} />
      {isOpen && (
        <Suspense fallback={null}>
          <Drawer isOpen isModal size="small" title={t('menu.open')} onClose={close}>
            <nav className={css.drawer} aria-label={t('menu.main')}>
              <MenuList onChoose={close} />
            </nav>
          </Drawer>
        </Suspense>
      )}
    </>
  )
}
