import { useId, type ReactNode } from 'react'
import css from './FormPart.module.css'

/** Part of a form with a heading, for content that is not a field. */
export function FormPart({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className={css.part} aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  )
}
