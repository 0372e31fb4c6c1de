import { useEffect, useRef, useState } from 'react'
import { useLocation } from '@tanstack/react-router'
import { useT } from '../i18n/use-t'
import { classes } from '../lib/classes'
import { useIsNarrow } from '../lib/use-media'
import { Button } from '../ui/Button'
import { PinIcon, UnpinIcon } from '../ui/icons'
import { MenuList } from './MenuList'
import css from './SideMenu.module.css'

const key = 'mainstay.menu'
const readPinned = () => {
  try {
    return localStorage.getItem(key) === 'pinned'
  } catch {
    return false
  }
}

/** 64 px of pictures with their names under them; wide while it is pinned. Below 768 px see NarrowMenu. */
export function SideMenu() {
  const t = useT('shell')
  const isNarrow = useIsNarrow()
  const [isPinned, setPinned] = useState(readPinned)
  const menu = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  // a menu that is longer than the window shows where one is
  useEffect(() => {
    menu.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname, isPinned])
  if (isNarrow) return null
  const pin = () => {
    setPinned(!isPinned)
    try {
      localStorage.setItem(key, isPinned ? 'narrow' : 'pinned')
    } catch {
      // the choice lasts as long as the page
    }
  }
  const words = t(isPinned ? 'menu.unpin' : 'menu.pin')
  return (
    <nav ref={menu} className={classes(css.menu, isPinned && css.pinned)} aria-label={t('menu.main')}>
      <MenuList />
      <div className={css.foot}>
        <Button
          variant="plain"
          className={css.pin}
          icon={isPinned ? UnpinIcon : PinIcon}
          aria-label={words}
          aria-pressed={isPinned}
          onPress={pin}
        >
          <span className={css.label}>{words}</span>
        </Button>
      </div>
    </nav>
  )
}
