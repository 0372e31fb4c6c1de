/* Lists and details of load balancers, fetched as one; forms are apart. */
export { default as BalancerListPage } from './BalancerListPage'
export { default as BalancerPage } from './BalancerPage'
export { BalancerChartPage, PoolChartPage } from './chart-pages'
export { default as PoolPage } from './pools/PoolPage'
