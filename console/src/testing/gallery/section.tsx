import type { ReactNode } from 'react'
import css from './Gallery.module.css'

export const Section = ({
  title,
  children,
  isWide = false,
}: {
  title: string
  children: ReactNode
  isWide?: boolean
}) => (
  <section className={isWide ? css.wide : css.section}>
    <h2>{title}</h2>
    {children}
  </section>
)

export const Row = ({ children }: { children: ReactNode }) => <div className={css.row}>{children}</div>
