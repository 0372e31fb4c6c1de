import type { ReactNode } from 'react'
import { useT } from '../../i18n/use-t'
import { useSession } from '../../session/session'
import { Logo } from '../Logo'
import { useBrand } from '../product'
import css from './sign-in.module.css'

/** The centered card on pages without a frame. Like the header, it labels the admin panel. */
export function SignInCard({ title, children }: { title: string; children: ReactNode }) {
  const t = useT('shell')
  const { productTitle, limitedUse } = useBrand()
  const isAdmin = useSession(({ panel }) => panel?.panel === 'admin')
  return (
    <main className={css.page}>
      <div className={css.card}>
        <div className={css.brand}>
          <Logo of="loginLogo" size={32} />
          <span>{productTitle}</span>
          {isAdmin && <strong className={css.panel}>{t('panel.admin')}</strong>}
        </div>
        <h1>{title}</h1>
        {children}
        {limitedUse && <p className={css.limited}>{t('signIn.limitedUse')}</p>}
      </div>
    </main>
  )
}
