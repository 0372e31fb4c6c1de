import { useEffect } from 'react'
import { useT } from '../../i18n/use-t'
import { placeOf } from '../../nav/place'
import { safeRedirect } from '../../nav/redirect-url'
import { titleText } from '../../nav/title-text'
import { useBrand } from '../product'
import { SignIn } from './SignIn'

/** Sign-in page before the rest of the console is loaded. Reads the URL without the router. */
export default function FirstSignIn({ onDone }: { onDone: (to: string) => void }) {
  const t = useT('shell')
  const { productTitle } = useBrand()
  useEffect(() => {
    document.title = titleText(t('signIn.title'), productTitle)
  }, [t, productTitle])
  return (
    <SignIn
      place={placeOf(location)}
      onDone={() => onDone(safeRedirect(new URLSearchParams(location.search).get('redirectUrl')) ?? '/')}
    />
  )
}
