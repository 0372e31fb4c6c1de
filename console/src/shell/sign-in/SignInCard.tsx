import type { ReactNode } from 'react'
import { Logo } from '../Logo'
import { useBrand } from '../product'
import css from './sign-in.module.css'

/** The card in the middle of a page without a frame. */
export function SignInCard({ title, children }: { title: string; children: ReactNode }) {
  const { productTitle } = useBrand()
  return (
    <main className={css.page}>
      <div className={css.card}>
        <div className={css.brand}>
          <Logo size={32} />
          <span>{productTitle}</span>
        </div>
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}
