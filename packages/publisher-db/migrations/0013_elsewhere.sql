-- A place for a migration that is made elsewhere.
select 1;
