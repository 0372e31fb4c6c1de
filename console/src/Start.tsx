import { lazy, startTransition, Suspense, use, useEffect, useState } from 'react'
import { placeOf, putPlace } from './nav/place'
import { isSignInPlace, signInPlace } from './nav/sign-in-place'
import { sessionNow } from './session/session'
import { PageSpinner } from './shell/PageSpinner'

const loadApp = () => import('./App')
const App = lazy(loadApp)
const FirstSignIn = lazy(() => import('./shell/sign-in/FirstSignIn'))

/** Nothing to see; nothing else is seen either until the theme is worn. */
function Themed({ by }: { by: Promise<unknown> }) {
  use(by)
  return null
}

/**
 * Whoever comes to sign in gets the sign-in page and nothing else: no router, no cache, no frame. They are fetched while
 * the password is being typed. At any other address the router decides, which also knows what there is no page for.
 * A spinner shows until the page is here and `themed` is over.
 */
export function Start({ themed }: { themed: Promise<unknown> }) {
  const [isIn, setIn] = useState(() => sessionNow().user !== null || !isSignInPlace(placeOf(location)))

  useEffect(() => {
    if (isIn) return
    putPlace(signInPlace(placeOf(location), sessionNow().domain))
    const timer = setTimeout(() => void loadApp().catch(() => {}), 1000)
    return () => clearTimeout(timer)
  }, [isIn])

  return (
    <Suspense fallback={<PageSpinner />}>
      <Themed by={themed} />
      {isIn ? (
        <App />
      ) : (
        <FirstSignIn
          onDone={(to) => {
            putPlace(to)
            startTransition(() => setIn(true))
          }}
        />
      )}
    </Suspense>
  )
}
