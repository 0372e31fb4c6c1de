import { lazy, Suspense } from 'react'
import css from './EmbeddedScreen.module.css'

const Screen = lazy(() => import('./Screen'))

/** An instance's graphical console, embedded in another page. */
export const EmbeddedScreen = ({ id }: { id: string }) => (
  <div className={css.screen}>
    <Suspense fallback={null}>
      <Screen key={id} id={id} isEmbedded />
    </Suspense>
  </div>
)
