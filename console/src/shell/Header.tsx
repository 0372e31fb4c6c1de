import { Link } from '../nav/Link'
import { paths } from '../nav/paths'
import { useT } from '../i18n/use-t'
import { LiveMark } from './LiveMark'
import { Logo } from './Logo'
import { NarrowMenu } from './NarrowMenu'
import { useBrand } from './product'
import { ProjectChooser } from './ProjectChooser'
import { UserMenu } from './UserMenu'
import css from './Header.module.css'

export function Header() {
  const t = useT('shell')
  const { productName } = useBrand()
  return (
    <header className={css.header}>
      <NarrowMenu />
      <Link to={paths.home()} className={css.logo} aria-label={t('product.home', { product: productName })}>
        <Logo />
        <span className={css.name}>{productName}</span>
      </Link>
      <ProjectChooser />
      <span className={css.gap} />
      <LiveMark />
      <UserMenu />
    </header>
  )
}
