import type { ReactNode } from 'react'
import { Link } from '../nav/Link'
import { paths } from '../nav/paths'
import { useT } from '../i18n/use-t'
import { HeaderSearch } from './HeaderSearch'
import { LiveMark } from './LiveMark'
import { Logo } from './Logo'
import { NarrowMenu } from './menus/NarrowMenu'
import { useBrand } from './product'
import { ProjectChooser } from './ProjectChooser'
import { UserMenu } from './UserMenu'
import css from './Header.module.css'

/** The header of the page. `bell` loads after the first page; its space is reserved. */
export function Header({ bell }: { bell: ReactNode }) {
  const t = useT('shell')
  const { productName } = useBrand()
  return (
    <header className={css.header}>
      <span className={css.start}>
        <NarrowMenu />
        <Link to={paths.home()} className={css.logo} aria-label={t('product.home', { product: productName })}>
          <Logo />
          <span className={css.name}>{productName}</span>
        </Link>
        <ProjectChooser />
      </span>
      <HeaderSearch />
      <span className={css.end}>
        <LiveMark />
        <span className={css.bell}>{bell}</span>
        <UserMenu />
      </span>
    </header>
  )
}
