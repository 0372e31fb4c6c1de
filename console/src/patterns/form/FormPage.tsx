import type { ReactNode } from 'react'
import { Page } from '../Page'
import css from './FormPage.module.css'

interface FormPageProps {
  title: string
  /** Cancel and the primary button: they stay at the bottom. */
  footer: ReactNode
  children: ReactNode
}

/** A form that is the whole page, over its full width: in a frame of somebody else's page. */
export const FormPage = ({ title, footer, children }: FormPageProps) => (
  <Page title={title}>
    {children}
    <footer className={css.foot}>{footer}</footer>
  </Page>
)
