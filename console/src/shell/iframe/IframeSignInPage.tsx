import { useEffect } from 'react'
import { useT } from '../../i18n/use-t'
import { rootPath } from '../../lib/root-path'
import { isIframePlace } from '../../nav/iframe'
import { paths } from '../../nav/paths'
import { useSearchParam } from '../../nav/use-param'
import { useSession } from '../../session/session'
import { buttonClass } from '../../ui/button-class'
import { UserIcon } from '../../ui/icons'
import css from './iframe.module.css'

const root = rootPath.replace(/\/$/, '')

/** Never asks for a password inside a frame: the user signs in in a separate tab, and the form then continues here. */
export default function IframeSignInPage() {
  const t = useT('iframe')
  const back = useSearchParam('redirectUrl') ?? ''
  const { domain } = useSession()
  useEffect(() => {
    const look = ({ key, newValue }: StorageEvent) => {
      if (key === 'scopedToken' && newValue !== null && isIframePlace(back)) location.replace(`${root}${back}`)
    }
    addEventListener('storage', look)
    return () => removeEventListener('storage', look)
  }, [back])
  return (
    <main className={css.over}>
      <UserIcon />
      <h1>{t('signIn.title')}</h1>
      <p className={css.dim}>{t('signIn.text')}</p>
      <a
        className={buttonClass({ variant: 'primary' })}
        href={`${root}${paths.login(domain)}`}
        target="_blank"
        rel="noreferrer"
      >
        {t('signIn.open')}
      </a>
    </main>
  )
}
